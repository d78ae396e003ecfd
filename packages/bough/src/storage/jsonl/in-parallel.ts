/**
 * The results of `work` for each item, at most `limit` at a time, each as soon as it is there. Ends with the first
 * rejection; what is in flight then is left to itself.
 */
export async function* inParallel<T, R>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const running = new Map<number, Promise<{ readonly key: number; readonly result: R }>>();
  let started = 0;
  for (const item of items) {
    const key = started++;
    const task = work(item).then((result) => ({ key, result }));
    task.catch(() => running.delete(key));
    running.set(key, task);
    if (running.size >= limit) yield await first(running);
  }
  while (running.size > 0) yield await first(running);
}

async function first<R>(running: Map<number, Promise<{ readonly key: number; readonly result: R }>>): Promise<R> {
  const { key, result } = await Promise.race(running.values());
  running.delete(key);
  return result;
}
