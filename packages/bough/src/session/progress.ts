/** Hears how much of a long work is done. */
export type Progress = (done: number, total: number) => void;

export interface ProgressOptions {
  /** Ends the work between two batches, by throwing its reason. */
  readonly signal?: AbortSignal;
  readonly onProgress?: Progress;
}

export function progressOf({ signal, onProgress }: ProgressOptions): Progress {
  return (done, total) => {
    signal?.throwIfAborted();
    onProgress?.(done, total);
  };
}
