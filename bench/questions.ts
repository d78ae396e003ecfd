import type { Question } from "./question.ts";
import { question as append } from "./questions/append.ts";
import { question as catalog } from "./questions/catalog.ts";
import { question as contextAgain } from "./questions/context-again.ts";
import { question as copy } from "./questions/copy.ts";
import { question as fork } from "./questions/fork.ts";
import { question as importTime } from "./questions/import-time.ts";
import { question as large } from "./questions/large.ts";
import { question as list } from "./questions/list.ts";
import { question as memory } from "./questions/memory.ts";
import { question as oneChanged } from "./questions/one-changed.ts";
import { question as openContext } from "./questions/open-context.ts";
import { question as resume } from "./questions/resume.ts";
import { question as search } from "./questions/search.ts";
import { question as tree } from "./questions/tree.ts";

export const questions: readonly Question[] = [
  openContext,
  contextAgain,
  memory,
  large,
  resume,
  tree,
  append,
  fork,
  copy,
  list,
  catalog,
  oneChanged,
  search,
  importTime,
];

/** By name or by a word of it: `open` is `open-context`. All if none is named. */
export function questionsNamed(names: readonly string[]): readonly Question[] {
  if (names.length === 0) return questions;
  return names.flatMap((name) => {
    const exact = questions.filter((question) => question.name === name);
    const found = exact.length > 0 ? exact : questions.filter((question) => question.name.split("-").includes(name));
    if (found.length > 0) return found;
    throw new Error(`no question ${name}; there are ${questions.map((each) => each.name).join(", ")}`);
  });
}
