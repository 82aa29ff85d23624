// The few things that a page cannot do without a script. Everything also works without it, by reloading.
"use strict";

// poll the running job, and reload when it has ended
const work = document.querySelector("[data-job]");
if (work) {
  const bar = work.querySelector("progress"), part = document.querySelector("[data-found]");
  let finds = 0, leaving = false;
  // a form or a link is on its way, and a reload would stop it (not for ever, since a download stays on this page)
  const leave = () => { leaving = true; setTimeout(() => { leaving = false; }, 5000); };
  for (const event of ["submit", "beforeunload"]) addEventListener(event, leave);
  const ask = async () => {
    try {
      const job = await (await fetch("/job", { cache: "no-store" })).json();
      const over = job.state !== "running" || String(job.job) !== work.dataset.job;
      if (over && !leaving) return location.reload();
      if (job.total) { bar.max = job.total; bar.value = job.done; }
      work.querySelector("[data-what]").textContent = job.what || "Starting";
      work.querySelector("[data-seconds]").textContent = Math.round(job.seconds);
      if (part && job.finds > finds) {  // show the results so far
        const answer = await fetch(part.dataset.found, { cache: "no-store" });
        if (answer.ok) { part.innerHTML = await answer.text(); finds = job.finds; }
      }
    } catch { /* the server may be busy or gone: ask again */ }
    setTimeout(ask, 500);
  };
  setTimeout(ask, 300);
}

// a form whose meaning is shown at once
for (const form of document.querySelectorAll("form[data-live]")) {
  const target = document.querySelector(form.dataset.live);
  let waiting = 0, newest = 0;
  form.addEventListener("input", (event) => {
    const card = event.target.closest(".model");
    if (card) card.classList.toggle("on", card.querySelector("h3 input").checked);
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const mine = ++newest;
      const data = new URLSearchParams(new FormData(form));
      data.set("live", "yes");
      const answer = await fetch(form.action, { method: "POST", body: data });
      if (mine === newest && answer.ok) target.innerHTML = await answer.text();
    }, 350);
  });
}

// copy buttons appear only where copying works
for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}

// an upload that is too large is refused before it is sent
const load = document.querySelector("form[data-limit]");
if (load) {
  const file = load.querySelector("input[type=file]");
  file.addEventListener("change", () => {
    const limit = Number(load.dataset.limit), size = file.files[0] ? file.files[0].size : 0;
    file.setCustomValidity(size > limit * 1048576
      ? `This file is larger than ${limit} MB. Put it into the folder of the workbench and name its path instead.` : "");
    file.reportValidity();
  });
}

// Enter in a field of a card presses the button of that card, not the first one of the form
for (const card of document.querySelectorAll("form .card")) {
  card.addEventListener("keydown", (event) => {
    const button = card.querySelector("button");
    if (event.key === "Enter" && event.target.matches("input[type=text]") && button) {
      event.preventDefault();
      button.click();
    }
  });
}

// labels of a tree are dragged onto groups: that ticks them, chooses the group, and presses the button that moves them
for (const tree of document.querySelectorAll("form[data-tree]")) {
  let dragged = null, over = null;
  const mark = (group) => {
    if (over) over.classList.remove("over");
    over = group;
    if (over) over.classList.add("over");
  };
  const target = (event) => {
    const group = event.target.closest("[data-group]");
    return group && dragged && !dragged.contains(group) ? group : null;
  };
  for (const item of tree.querySelectorAll("[data-label]")) item.draggable = true;
  tree.addEventListener("dragstart", (event) => {
    dragged = event.target.closest("[data-label]");
    if (!dragged) return;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", "");
    setTimeout(() => tree.classList.add("dragging"));
  });
  tree.addEventListener("dragover", (event) => {
    const group = target(event);
    if (group) event.preventDefault();
    if (group !== over) mark(group);
  });
  tree.addEventListener("dragend", () => { mark(null); dragged = null; tree.classList.remove("dragging"); });
  tree.addEventListener("drop", (event) => {
    const group = target(event);
    if (!group) return;
    event.preventDefault();
    const own = dragged.querySelector("input[type=checkbox]");
    if (!own.checked) for (const box of tree.querySelectorAll("input[type=checkbox]")) box.checked = box === own;
    tree.elements.to.value = group.dataset.group;
    tree.querySelector("button[value=move]").click();
  });
}
