import { serviceOn } from "../../main/running/service-record.ts";
import { PACKAGE_VERSION } from "../../main/version.ts";
import { type Finding, NAME_THE_FOLDER, type Patient } from "./finding.ts";

const about = "service";

/** Compares what was looked at with the services that run on this machine, as they say themselves. */
export async function checkRunning({ configuration, running }: Patient): Promise<Finding[]> {
  const { dataDir, origin } = configuration;
  const own = serviceOn(dataDir);
  if (own === null)
    return running.map(({ pid, data_dir, origin: name }) => elsewhere(pid, data_dir, name));
  const findings: Finding[] = [];
  if (origin !== null && origin !== own.origin) {
    const text = `CAIRN_ORIGIN is ${origin} here, and the service on ${dataDir} runs as ${own.origin}.`;
    findings.push({ about, state: "fault", text, advice: NAME_THE_FOLDER });
  }
  if (own.version !== PACKAGE_VERSION) {
    const text = `The service is Cairn ${own.version}, and this command is ${PACKAGE_VERSION}: it writes nothing.`;
    findings.push({
      about,
      state: "warning",
      text,
      advice: "Restart the service with this version.",
    });
  }
  return findings;
}

function elsewhere(pid: number, dataDir: string, origin: string): Finding {
  const text = `Process ${pid} serves ${origin} from ${dataDir}, which is not what was looked at.`;
  return { about, state: "warning", text, advice: NAME_THE_FOLDER };
}
