const attempts = 6;
const passing = [408, 429, 500, 502, 503, 504];

/**
 * A fetch that repeats what failed for the moment, six times at most. It waits as long as Retry-After says, and twice as long
 * each time, with chance in it. sign is called for each attempt, so that no token is too old.
 */
export function retrying(sign: (headers: Headers) => void, firstWait = 500): (request: Request) => Promise<Response> {
  return async (request) => {
    let wait = firstWait;
    for (let attempt = 1; ; attempt++) {
      const copy = request.clone();
      sign(copy.headers);
      let told = 0;
      try {
        const answer = await fetch(copy, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(60_000)]) });
        if (!passing.includes(answer.status) || attempt === attempts) return answer;
        await answer.body?.cancel();
        told = Math.min(Number(answer.headers.get("Retry-After")) || 0, 60) * 1000;
      } catch (error) {
        if (attempt === attempts || request.signal.aborted) throw error;
      }
      const pause = Math.max(told, wait / 2 + Math.random() * wait);
      await new Promise((resume) => setTimeout(resume, pause));
      request.signal.throwIfAborted();
      wait = Math.min(2 * wait, 30_000);
    }
  };
}
