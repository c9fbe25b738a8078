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

  document.querySelectorAll(".prose .code[data-language]").forEach(group);
  document.querySelectorAll(".code").forEach(addBar);
  follow();
});

const languages = { go: "Go", ts: "TypeScript", typescript: "TypeScript", python: "Python", bash: "Shell", json: "JSON", yaml: "YAML" };
const tabbed = new Set(["go", "ts", "typescript", "python"]);

// group makes one block with tabs of neighbouring blocks in different programming languages.
function group(first) {
  if (!tabbed.has(first.dataset.language) || first.parentElement.classList.contains("tabs")) return;
  const blocks = [first];
  for (let next = first.nextElementSibling; next?.matches(".code") && tabbed.has(next.dataset.language); next = next.nextElementSibling) blocks.push(next);
  if (blocks.length < 2) return;
  const box = document.createElement("div");
  box.className = "tabs";
  const bar = document.createElement("div");
  bar.className = "tab-bar";
  bar.setAttribute("role", "tablist");
  first.before(box);
  box.append(bar, ...blocks);
  blocks.forEach((block) => {
    const tab = document.createElement("button");
    tab.textContent = languages[block.dataset.language];
    tab.setAttribute("role", "tab");
    tab.dataset.language = block.dataset.language;
    block.setAttribute("role", "tabpanel");
    tab.addEventListener("click", () => {
      kept.set("language", tab.dataset.language);
      document.querySelectorAll(".tabs").forEach(choose);
    });
    bar.append(tab);
  });
  choose(box);
}

// choose shows the language that was chosen last, or the first one.
function choose(box) {
  const tabs = [...box.querySelectorAll("[role=tab]")];
  const tab = tabs.find((t) => t.dataset.language === kept.get("language")) ?? tabs[0];
  tabs.forEach((t) => t.setAttribute("aria-selected", t === tab));
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
