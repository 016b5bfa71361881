import hooks from "node:async_hooks";
import { isMainThread } from "node:worker_threads";

/**
 * Preloaded by `npm test`. `node:test` tracks every promise by an async hook, so that an error outside
 * of every `await` fails the test that caused it. That makes an `await` take 30 times as long. Without
 * the hook such an error fails the whole file.
 */
if (isMainThread) {
  const { createHook } = hooks;
  const inactive: ReturnType<typeof createHook> = {
    enable: () => inactive,
    disable: () => inactive,
  };
  hooks.createHook = () => inactive;
  await import("node:test");
  hooks.createHook = createHook;
}
