"use strict";
(() => {
  const given = JSON.parse(document.getElementById("packet").textContent);
  const form = document.getElementById("form");
  const progress = document.getElementById("progress");
  let unsaved = false;

  const field = (item, name) => form.elements[`${item}.${name}`];

  const answerTo = (item) => ({
    item,
    reading: field(item, "reading").value,
    confidence: Number(field(item, "confidence").value),
    recognised: field(item, "recognised").checked,
    notes: field(item, "notes").value,
  });

  const answered = () => given.items.map(answerTo).filter((answer) => answer.reading && answer.confidence);

  const show = () => {
    const done = new Set(answered().map((answer) => answer.item));
    for (const item of given.items) {
      document.getElementById(`item-${item}`).classList.toggle("done", done.has(item));
    }
    const left = given.items.length - done.size;
    progress.textContent = `${done.size} of ${given.items.length} answered` + (left ? "; a file saved now is a draft" : "");
  };

  const save = () => {
    const answers = answered();
    const saved = {
      schema: "faultline/review-answers/1",
      sample: given.sample,
      material: given.material,
      reviewer: given.reviewer,
      saved_at: new Date().toISOString(),
      answers,
    };
    const file = new Blob([JSON.stringify(saved, null, 1) + "\n"], { type: "application/json" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = answers.length < given.items.length ? "review-draft.json" : "review.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    unsaved = false;
  };

  const restore = (text) => {
    let saved;
    try {
      saved = JSON.parse(text);
    } catch {
      progress.textContent = "this file is not JSON";
      return;
    }
    if (saved.sample !== given.sample || saved.material !== given.material || saved.reviewer !== given.reviewer) {
      progress.textContent = "this file belongs to another packet";
      return;
    }
    for (const answer of saved.answers) {
      if (!given.items.includes(answer.item)) continue;
      field(answer.item, "reading").value = answer.reading;
      field(answer.item, "confidence").value = String(answer.confidence);
      field(answer.item, "recognised").checked = answer.recognised === true;
      field(answer.item, "notes").value = answer.notes;
    }
    show();
  };

  form.addEventListener("input", () => {
    unsaved = true;
    show();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("save").addEventListener("click", save);
  document.getElementById("open").addEventListener("change", async (event) => {
    const [file] = event.target.files;
    if (file) restore(await file.text());
  });
  window.addEventListener("beforeunload", (event) => {
    if (unsaved) event.preventDefault();
  });
  show();
})();
