"""How the sandbox's board looks: one style sheet, inline in the page, which loads nothing."""

from __future__ import annotations

# A card is as tall as half a screen until its address names it: then it opens and stands out, without a script.
STYLE = """
:root {
  --page: #e9edf3; --head: #1f3a5f; --head-text: #fff; --column: #f6f8fb; --card: #fff; --text: #1c2733;
  --quiet: #5b6876; --line: #d9e0e8; --accent: #1f6feb; --code: #eef2f6; --done: #1a7f4b; --done-back: #ddf4e6;
  --due: #7a4b00; --due-back: #fff0cf; --shadow: 0 1px 2px #1c273326, 0 0 0 1px #1c27330d;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161c; --head: #0f2036; --head-text: #e8eef6; --column: #1a2028; --card: #242c36; --text: #dfe6ee;
    --quiet: #94a1b0; --line: #35404d; --accent: #6cb0ff; --code: #1a2028; --done: #6fd39b; --done-back: #17372a;
    --due: #ffd483; --due-back: #43330f; --shadow: 0 1px 2px #0006, 0 0 0 1px #ffffff0a;
  }
}
* { box-sizing: border-box; }
html { height: 100%; scroll-padding: 1rem; }
body {
  margin: 0; min-height: 100%; display: flex; flex-direction: column; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere;
}
header { background: var(--head); color: var(--head-text); padding: .7rem 1.25rem; }
h1 { font-size: 1.15rem; font-weight: 650; margin: 0; }
main { flex: 1; display: flex; align-items: flex-start; gap: 1rem; padding: 1rem 1.25rem 1.5rem; overflow-x: auto; }
section {
  flex: 1 0 20rem; max-width: 30rem; background: var(--column); border-radius: 12px; box-shadow: var(--shadow);
}
h2 {
  display: flex; justify-content: space-between; gap: .75rem; margin: 0; padding: .75rem 1rem .5rem;
  font-size: .95rem; font-weight: 650;
}
.count { color: var(--quiet); font-weight: 500; font-variant-numeric: tabular-nums; white-space: nowrap; }
.cards { display: flex; flex-direction: column; gap: .7rem; padding: .25rem .7rem .8rem; }
.none { margin: .25rem; text-align: center; color: var(--quiet); }
article {
  position: relative; background: var(--card); border-radius: 9px; box-shadow: var(--shadow); padding: .85rem 1rem;
  max-height: 26rem; overflow: hidden;
}
article::after {
  content: ""; position: absolute; inset: 23.5rem 0 auto; height: 2.5rem; pointer-events: none;
  background: linear-gradient(to bottom, transparent, var(--card) 85%);
}
article:target { max-height: none; outline: 3px solid var(--accent); outline-offset: 1px; scroll-margin: 1.25rem; }
article:target::after { content: none; }
h3 { margin: 0; font-size: 1.05rem; line-height: 1.35; font-weight: 650; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover, h3 a:focus-visible { text-decoration: underline; }
.badges { display: flex; flex-wrap: wrap; gap: .4rem; margin: .5rem 0 0; font-size: .82rem; }
.badges span { padding: .1rem .55rem; border-radius: 99px; background: var(--code); color: var(--quiet); }
.badges .due { background: var(--due-back); color: var(--due); }
.badges .done { background: var(--done-back); color: var(--done); }
.badges .items::before { content: "\\2611\\FE0E\\00A0"; }
.desc { margin-top: .7rem; font-size: .93rem; }
.desc > :first-child { margin-top: 0; }
.desc > :last-child { margin-bottom: 0; }
.desc :is(h1, h2, h3, h4, h5, h6) {
  display: block; margin: .95rem 0 .25rem; padding: 0; font-size: .95rem; line-height: 1.35; font-weight: 650;
}
.desc :is(p, ul, ol, pre, blockquote, table) { margin: .35rem 0; }
.desc :is(ul, ol) { padding-inline-start: 1.3rem; }
.desc li::marker { color: var(--quiet); }
.desc a { color: var(--accent); }
.desc code { background: var(--code); border-radius: 4px; padding: .05rem .3rem; font-size: .88em; }
.desc pre { background: var(--code); border-radius: 7px; padding: .6rem .75rem; overflow-x: auto; }
.desc pre code { background: none; padding: 0; overflow-wrap: normal; }
.desc blockquote { margin-inline: 0; padding-inline-start: .8rem; border-inline-start: 3px solid var(--line); }
.desc hr { border: 0; border-top: 1px solid var(--line); }
.desc table { border-collapse: collapse; display: block; overflow-x: auto; }
.desc :is(td, th) { border: 1px solid var(--line); padding: .25rem .5rem; text-align: start; }
.desc .right { text-align: right; }
.desc .center { text-align: center; }
.checklist { margin-top: .9rem; border-top: 1px solid var(--line); padding-top: .7rem; }
h4 { display: flex; justify-content: space-between; gap: .75rem; margin: 0; font-size: .9rem; font-weight: 650; }
progress {
  appearance: none; display: block; width: 100%; height: 5px; margin: .35rem 0 .45rem; border: 0; border-radius: 99px;
  overflow: hidden; background: var(--line); color: var(--done);
}
progress::-webkit-progress-bar { background: var(--line); }
progress::-webkit-progress-value { background: var(--done); }
progress::-moz-progress-bar { background: var(--done); }
.checklist ul { list-style: none; margin: 0; padding: 0; font-size: .92rem; }
.checklist li { position: relative; padding: .1rem 0 .1rem; padding-inline-start: 1.6rem; }
.checklist li::before {
  content: ""; position: absolute; inset-inline-start: .1rem; top: .38rem; width: .9rem; height: .9rem;
  border: 1.5px solid var(--quiet); border-radius: 3px;
}
.checklist li.done { color: var(--quiet); text-decoration: line-through; }
.checklist li.done::before { background: var(--done); border-color: var(--done); }
.checklist li.done::after {
  content: ""; position: absolute; inset-inline-start: .42rem; top: .45rem; width: .25rem; height: .5rem;
  border: solid var(--card); border-width: 0 2px 2px 0; transform: rotate(45deg);
}
@media (max-width: 46rem) {
  main { flex-direction: column; align-items: stretch; padding: .75rem; }
  section { flex: none; max-width: none; }
}
@media print {
  article { max-height: none; break-inside: avoid; }
  article::after { content: none; }
}
"""
