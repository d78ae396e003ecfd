/** What `work` resolves with, or a rejection after `milliseconds`; then whatever it does goes unheard. */
export async function withinTime<T>(work: T | PromiseLike<T>, milliseconds: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
