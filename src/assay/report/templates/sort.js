// SPDX-License-Identifier: MIT
// A click on a heading sorts its table; a second click turns the order round.
// What was not measured stays at the end either way, and rows stay in their group.
"use strict";

function valueOf(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.value ?? cell.textContent.trim();
  const number = Number(text);
  return text === "" ? null : Number.isNaN(number) ? text.toLowerCase() : number;
}

function compare(one, other) {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one).localeCompare(String(other), "en", { numeric: true });
}

function sortRows(body, column, ascending) {
  const sortable = [...body.rows].filter((row) => !row.classList.contains("group"));
  const rows = sortable.map((row) => ({ row, value: valueOf(row, column) }));
  rows.sort((one, other) => {
    if (one.value === null || other.value === null) {
      return (one.value === null) - (other.value === null);
    }
    return ascending ? compare(one.value, other.value) : compare(other.value, one.value);
  });
  body.append(...rows.map((each) => each.row));
}

function enable(table) {
  const headings = [...table.tHead.rows[0].cells];
  for (const [column, heading] of headings.entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const ascending = heading.getAttribute("aria-sort") !== "ascending";
      for (const each of headings) each.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      for (const body of table.tBodies) sortRows(body, column, ascending);
    });
  }
}

document.querySelectorAll("table.sortable").forEach(enable);
