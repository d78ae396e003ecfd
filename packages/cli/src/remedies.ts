import type { ErrorCode } from "bough";

/** What to do about each error, as one line. */
export const remedies: Readonly<Record<ErrorCode, string>> = {
  not_found: "`bough list --all` shows the sessions there are, `bough tree SESSION --filter all` the entries of one.",
  already_exists: "Choose another name or id, or `--force` where a file may be replaced.",
  ambiguous: "Give more characters, or the whole id.",
  invalid_session:
    "Nothing was changed. Check the path. Where a session's first line is lost, write a header line before it.",
  invalid_entry: "Correct the field that is named and try again; nothing of it was stored.",
  unknown_parent: "Append the parent first, or leave `parentId` out to continue at the leaf.",
  invalid_fork_target: "Fork `--before` needs a message of the user; without it any entry of the conversation will do.",
  unsupported_version: "A newer bough may read it. Nothing was changed.",
  read_only: "Fork the session to continue from it: `bough fork SESSION`.",
  outside_store: "Give the path of the file to open it where it is.",
  session_deleted: "`bough trash` shows what can be brought back.",
  closed: "Run the command again.",
  busy: "Another program is working on the session. Wait for it to end, then try again.",
  storage_full: "Make room on the disk, then try again.",
  storage_io: "Check the disk and the path, then try again; the same id is never stored twice.",
  storage_denied: "Check who owns the file and its folder, and their permissions.",
  compaction: "The history is as it was. Try again, or with other instructions.",
  branch_summary: "The leaf is where it was. Try again, or move without a summary.",
  nothing_to_compact: "Nothing needs to be done; `--keep` with fewer tokens keeps less.",
  leaf_moved: "Another program continued the session. Look at `bough tree SESSION`, then try again.",
  hook: "An extension failed; its name is above. Try without it.",
  auth: "Sign in to the provider, or set its key.",
  invalid_state: "The command doesn't fit what the session is doing now.",
};
