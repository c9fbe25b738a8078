// What every page does: the choice of light or dark, the contents on a phone, copy buttons, and languages as tabs.
"use strict";

// stored reads and writes what the browser keeps, which is nothing where its settings forbid it.
const stored = (area) => ({
  get(name) {
    try {
      return window[area].getItem(name);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      window[area].setItem(name, value);
    } catch {
      // The page works without.
    }
  },
});
const kept = stored("localStorage");

// Before anything is drawn, so that a dark page does not flash.
const chosen = kept.get("theme");
if (chosen) document.documentElement.dataset.theme = chosen;

document.addEventListener("DOMContentLoaded", () => {
  document.getElementById("theme").addEventListener("click", () => {
    const dark = getComputedStyle(document.documentElement).getPropertyValue("--is-dark").trim() === "1";
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    kept.set("theme", dark ? "light" : "dark");
  });

  const menu = document.getElementById("menu");
  const contents = document.getElementById("contents");
  const show = (open) => {
    document.body.classList.toggle("menu-open", open);
    menu.setAttribute("aria-expanded", open);
  };
  menu.addEventListener("click", () => show(menu.getAttribute("aria-expanded") !== "true"));
  contents.addEventListener("click", (event) => event.target.closest("a") && show(false));
  document.addEventListener("keydown", (event) => event.key === "Escape" && show(false));

  document.querySelectorAll(".samples").forEach(tabs);
  document.querySelectorAll(".prose .code[data-language]").forEach(group);
  document.querySelectorAll(".code").forEach(addBar);
  follow();
  search();
  here();
  reveal();
  window.addEventListener("hashchange", reveal);
});

// here puts the address of this service into commands, which are written for a machine of one's own.
function here() {
  const texts = document.createTreeWalker(document.getElementById("main"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.parentElement.closest("pre")) text.data = text.data.replaceAll("http://127.0.0.1:8080", location.origin);
  }
}

// reveal opens what is folded around the field that the address names.
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  let folded = target?.parentElement.closest("details:not([open])");
  if (!folded) return;
  for (; folded; folded = folded.parentElement.closest("details:not([open])")) folded.open = true;
  target.scrollIntoView();
}

// search looks for every word of what is typed in titles first, then in texts. The index is fetched when it is first needed.
function search() {
  const box = document.querySelector(".search");
  const [input, list] = box.children;
  let index;
  const load = () => (index ??= fetch(input.dataset.index).then((answer) => answer.json()));
  const find = async () => {
    const asked = input.value;
    const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
    const all = words.length ? await load() : [];
    if (asked !== input.value) return; // something else has been typed meanwhile
    const rank = ({ title, text }) => {
      const [t, all] = [title.toLowerCase(), (title + " " + text).toLowerCase()];
      if (!words.every((word) => all.includes(word))) return 0;
      return t === words.join(" ") ? 4 : t.startsWith(words[0]) ? 3 : words.every((word) => t.includes(word)) ? 2 : 1;
    };
    const found = all.map((entry) => [rank(entry), entry]).filter(([r]) => r > 0).sort(([a], [b]) => b - a).slice(0, 20);
    list.replaceChildren(...found.map(([, entry]) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      const about = document.createElement("span");
      link.href = entry.address;
      link.textContent = entry.title;
      about.textContent = entry.kind;
      link.append(about);
      item.append(link);
      return item;
    }));
  };
  input.addEventListener("focus", load);
  input.addEventListener("input", find);
  list.addEventListener("click", () => list.replaceChildren());
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") list.replaceChildren();
    if (event.key !== "/" || event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    input.focus();
  });
}

const languages = { bash: "Shell", go: "Go", ts: "TypeScript", python: "Python", json: "JSON", yaml: "YAML" };
const tabbed = new Set(["go", "ts", "python"]);
let language = kept.get("language");

// group makes one block with tabs of neighbouring blocks in different programming languages.
function group(first) {
  if (!tabbed.has(first.dataset.language) || first.parentElement.classList.contains("tabs")) return;
  const blocks = [first];
  for (let next = first.nextElementSibling; next?.matches(".code") && tabbed.has(next.dataset.language); next = next.nextElementSibling) blocks.push(next);
  if (blocks.length < 2) return;
  const box = document.createElement("div");
  first.before(box);
  box.append(...blocks);
  tabs(box);
}

// tabs puts a tab on each block of a box. The language that is chosen is that of all boxes, here and on later pages.
function tabs(box) {
  box.classList.add("tabs");
  const bar = document.createElement("div");
  bar.className = "tab-bar";
  bar.setAttribute("role", "tablist");
  for (const block of box.children) {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.textContent = languages[block.dataset.language];
    tab.dataset.language = block.dataset.language;
    tab.setAttribute("role", "tab");
    block.setAttribute("role", "tabpanel");
    bar.append(tab);
  }
  bar.addEventListener("click", ({ target }) => target.dataset.language && take(target));
  bar.addEventListener("keydown", ({ key, target }) => {
    const next = { ArrowRight: target.nextElementSibling, ArrowLeft: target.previousElementSibling }[key];
    if (!next) return;
    take(next);
    next.focus();
  });
  box.prepend(bar);
  choose(box);
}

// take changes the language everywhere, and leaves the tab where it is on the screen.
function take(tab) {
  const before = tab.getBoundingClientRect().top;
  language = tab.dataset.language;
  kept.set("language", language);
  document.querySelectorAll(".tabs").forEach(choose);
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: "instant" });
}

// choose shows the language that was chosen last, or the first one.
function choose(box) {
  const all = [...box.querySelectorAll("[role=tab]")];
  const tab = all.find((t) => t.dataset.language === language) ?? all[0];
  for (const t of all) {
    t.setAttribute("aria-selected", t === tab);
    t.tabIndex = t === tab ? 0 : -1;
  }
  box.querySelectorAll(":scope > .code").forEach((block) => (block.hidden = block.dataset.language !== tab.dataset.language));
}

// addBar puts a title and a copy button on a block of code.
function addBar(block) {
  const bar = document.createElement("div");
  bar.className = "bar";
  const title = document.createElement("span");
  title.textContent = block.dataset.title ?? languages[block.dataset.language] ?? "";
  bar.append(title);
  block.prepend(bar);
  if (!navigator.clipboard) return; // browsers have it over https and on this machine alone
  const copy = document.createElement("button");
  copy.type = "button";
  copy.textContent = "Copy";
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("pre").textContent);
    copy.textContent = "Copied";
    setTimeout(() => (copy.textContent = "Copy"), 1500);
  });
  bar.append(copy);
}

// follow marks the operation that is being read in the contents.
function follow() {
  const links = new Map([...document.querySelectorAll(".contents a[href^='#']")].map((a) => [a.getAttribute("href").slice(1), a]));
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      links.forEach((a) => a.classList.remove("here"));
      const here = links.get(entry.target.id);
      here.classList.add("here");
      here.scrollIntoView({ block: "nearest" });
    }
  }, { rootMargin: "0px 0px -80% 0px" });
  links.forEach((_, id) => {
    const target = document.getElementById(id);
    if (target) seen.observe(target);
  });
}
