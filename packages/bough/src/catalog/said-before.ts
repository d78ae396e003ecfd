import { MessageFront } from "../storage/jsonl/message-front.ts";
import { type Haystack, lettersOf } from "./haystack.ts";
import { behindBlanks, behindLetter, isBound, mayBeginOther, newline } from "./said-bytes.ts";

/*
 * Searchable text is what the strings of a line say, one behind the other in an order of its own. So what is said in front
 * of a string ends another one of the same line, unless it is a label: those stand in front of the role.
 */

const front = new MessageFront();
const colon = 0x3a;

/** Whether a word of plain letters may be said right before the string that begins at `place`. */
export function mayFollowWord(haystack: Haystack, bytes: Buffer, place: number, word: string): boolean {
  const start = bytes.lastIndexOf(newline, place) + 1;
  const newlineAt = bytes.indexOf(newline, place);
  const end = newlineAt === -1 ? bytes.length : newlineAt;
  const hasRole = front.find(bytes, start, end) && front.roleEnd > front.roleStart;
  if (!hasRole || place <= front.roleEnd) return true;
  const letters = lettersOf(word);
  const last = end - word.length + 1;
  for (let at = haystack.place(start, last, letters); at !== -1; at = haystack.place(at + 1, last, letters)) {
    if (endsString(bytes, at, word)) return true;
  }
  return false;
}

function endsString(bytes: Buffer, start: number, word: string): boolean {
  let place = start;
  for (let at = 0; at < word.length; at++) {
    const next = behindLetter(bytes, place, word.charCodeAt(at));
    if (next === place) return false;
    place = next;
  }
  const behind = behindBlanks(bytes, place);
  return isBound(bytes, behind) ? bytes[behind + 1] !== colon : mayBeginOther(bytes, behind);
}
