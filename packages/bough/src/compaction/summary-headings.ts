/** A part of a summary, and what belongs there. */
export interface SummaryHeading {
  readonly title: string;
  readonly about: string;
}

/** The parts of a summary that stands for the start of a path, in order. */
export const summaryHeadings = [
  { title: "Goal", about: "what the user wants in the end; several, if there are several" },
  { title: "Constraints and preferences", about: "what the user demanded, forbade or likes, and limits that were met" },
  { title: "Progress", about: "what is done, what is under way, what is blocked and by what: three lists" },
  { title: "Decisions", about: "what was decided, and why" },
  { title: "Next steps", about: "in their order" },
  {
    title: "Critical context",
    about: "facts the work depends on: paths, names, values, errors and where they come from",
  },
] as const satisfies readonly SummaryHeading[];

/** Of a branch that is left. */
export const branchHeadings = summaryHeadings.slice(0, 5);

/** Of the beginning of a turn whose rest is kept. */
export const turnHeadings = [
  { title: "Request", about: "what the user asked for at the start of the turn" },
  { title: "Done so far", about: "steps taken and what they showed, decisions among them" },
  { title: "Needed for the rest", about: "facts that what follows builds on" },
] as const satisfies readonly SummaryHeading[];

export type SummaryTitle = (typeof summaryHeadings)[number]["title"];
