// The forms of the reference: they send what is filled in to this server and show the answer as it came.
"use strict";

// What was entered and what answers have taught, for this tab alone.
const session = stored("sessionStorage");
const known = JSON.parse(session.get("known") ?? "{}");
const credentials = document.getElementById("credential-form");
const forms = document.querySelectorAll("form[data-operation]");

function learn(values) {
  for (const [name, value] of Object.entries(values)) if (value !== undefined && value !== null) known[name] = value;
  session.set("known", JSON.stringify(known));
  for (const input of credentials.elements) if (document.activeElement !== input) input.value = known[input.name] ?? "";
  for (const form of forms) {
    for (const input of form.querySelectorAll("[data-in=path]")) if (known[place(form, input.name)]) input.value = known[place(form, input.name)];
    const body = form.elements.body;
    if (body && known.source_id) body.value = body.value.replace(/("source_id": ")[^"]*/, "$1" + known.source_id);
  }
}

// place tells the ids of questions from others; the path calls them id alone.
const place = (form, name) => (name === "id" ? "issue_id" : name);

// What an answer teaches for the next request.
const lessons = {
  connectPartner: (a) => ({ organization_id: a.organization_id, source_id: a.source_id }),
  uploadAccounts: (a) => ({ account_id: a.accounts[0]?.id }),
  listAccounts: (a) => ({ account_id: a.accounts[0]?.id }),
  uploadTransactions: (a) => ({ transaction_id: a.transactions[0]?.id }),
  searchTransactions: (a) => ({ transaction_id: a.transactions[0]?.id }),
  searchCounterparties: (a) => ({ counterparty_id: a.counterparties[0]?.id }),
  listOutstandingIssues: (a) => ({ issue_id: a.issues[0]?.id }),
};

credentials.addEventListener("input", (event) => learn({ [event.target.name]: event.target.value.trim() }));
credentials.addEventListener("submit", (event) => event.preventDefault());
learn({});
forms.forEach((form) => form.addEventListener("submit", (event) => {
  event.preventDefault();
  send(form);
}));

async function send(form) {
  const result = form.querySelector(".result");
  const query = new URLSearchParams();
  let path = form.dataset.path;
  for (const input of form.querySelectorAll("[data-in]")) {
    const value = input.value.trim();
    if (input.dataset.in === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(value));
    if (input.dataset.in !== "query" || value === "") continue;
    if ("json" in input.dataset && !isJSON(value)) {
      result.replaceChildren(element("p", "problem", `${input.name} must be JSON, such as ${input.placeholder}`));
      return;
    }
    query.append(input.name, value); // a JSON-encoded parameter is its JSON text, URL-encoded
  }
  const headers = {};
  if (known.token) headers.Authorization = `Bearer ${known.token}`;
  if (known.partner) headers["X-Service-Partner"] = known.partner;
  const body = form.elements.body?.value;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const address = path + (query.size ? `?${query}` : "");
  const started = performance.now();
  try {
    const response = await fetch(address, { method: form.dataset.method, headers, body, cache: "no-store", credentials: "omit" });
    const text = await response.text();
    show(result, response, text, performance.now() - started, `${form.dataset.method} ${address}`);
    if (response.ok) learn(lessons[form.dataset.operation]?.(JSON.parse(text)) ?? {});
  } catch (error) {
    result.replaceChildren(element("p", "problem", `No answer came: ${error.message}`));
  }
}

function isJSON(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function show(result, response, text, took, request) {
  const line = element("p", "status");
  line.append(element("span", response.ok ? "good" : "bad", String(response.status)), ` in ${Math.round(took)} ms · ${text.length.toLocaleString("en")} bytes`);
  const sent = element("p", "sent", request);
  const pre = element("pre", "");
  pre.append(...coloured(text));
  const hint = response.status === 401 && !known.token ? element("p", "problem", "Enter a token under Credentials at the top of the page.") : "";
  result.replaceChildren(line, sent, hint, pre);
  result.scrollIntoView({ block: "nearest" });
}

// coloured lays JSON out without reading its numbers, so that -48.20 stays -48.20.
function coloured(text) {
  const nodes = [];
  let depth = 0;
  const line = () => "\n" + "  ".repeat(depth);
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [text];
  tokens.forEach((token, i) => {
    const empty = (token === "{" && tokens[i + 1] === "}") || (token === "[" && tokens[i + 1] === "]");
    if (token === "{" || token === "[") {
      depth++;
      nodes.push(token, empty ? "" : line());
    } else if (token === "}" || token === "]") {
      depth--;
      nodes.push(/[{[]/.test(tokens[i - 1]) ? "" : line(), token);
    } else if (token === ",") nodes.push(token, line());
    else if (token === ":") nodes.push(": ");
    else if (token.startsWith('"')) nodes.push(element("span", tokens[i + 1] === ":" ? "nt" : "s", token));
    else nodes.push(element("span", /^[tfn]/.test(token) ? "k" : "m", token));
  });
  return nodes;
}

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}
