import { baseUrlOf, type Configuration } from "../main/settings.ts";
import { joinWorld, type World } from "../main/world.ts";

/**
 * Does a piece of work on the database of a service, beside it if it runs, and lets go of it. The
 * operator hears of alarms on standard error.
 */
export async function joined<T>(
  configuration: Configuration,
  ledger: Parameters<typeof joinWorld>[2],
  work: (world: World) => Promise<T>,
): Promise<T> {
  const world = await joinWorld(
    configuration,
    {
      baseUrl: baseUrlOf(configuration),
      alarm: (what, facts) => console.error(`alarm: ${what} ${JSON.stringify(facts)}`),
    },
    ledger,
  );
  try {
    return await work(world);
  } finally {
    await world.close();
  }
}
