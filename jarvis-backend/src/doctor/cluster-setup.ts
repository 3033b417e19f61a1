import {
  JarvisError,
  type SetupClusterBody,
  type SetupProbeReply,
  type SetupReply,
  type SetupSaveReply,
  type SetupTestReply,
} from 'protocol'
import type { Config } from '../config/config.ts'
import { readEnvFile, settingsPath } from '../config/env-file.ts'
import { type ProxmoxConfig, proxmoxSettings, readCluster } from '../config/proxmox.ts'
import { saveSettings } from '../config/settings-file.ts'
import { inspectCluster, probeEntry } from '../homelab/connect.ts'
import type { Clock } from '../lib/clock.ts'
import { choices, openChoices, pveumLine, roleLine, toolRights, toolsOf } from '../tools/rights.ts'

/** Connects a cluster from the dashboard: inspect, try, save for the next start. */
export function createClusterSetup({ config, clock }: { config: Config; clock: Clock }) {
  const { proxmox, clusterSource } = config
  /** Settings in the environment or `.env` take precedence. @throws JarvisError `conflict` if they name a cluster */
  function mayChange(): void {
    if (clusterSource !== 'environment') return
    const message =
      'The cluster is named in .env or the environment, which counts before what is saved here. Change it there: npm run jarvis -- setup'
    throw new JarvisError('conflict', message)
  }
  return {
    current: (): SetupReply => ({
      command: pveumLine,
      choices: choices.map(({ name, gives, rights }) => ({
        name,
        gives,
        command: roleLine(rights),
        toolNames: toolsOf(rights),
      })),
      source: clusterSource,
      urls: [...(proxmox?.urls ?? [])],
      ...(proxmox !== undefined && { tokenId: proxmox.tokenId }),
      fingerprints: [...(proxmox?.fingerprints ?? [])],
    }),
    probe(url: string, signal: AbortSignal): Promise<SetupProbeReply> {
      const [origin] = readCluster({ PVE_URL: url }).urls ?? []
      if (origin === undefined) throw new JarvisError('invalid_request', 'url: must be one address.')
      return probeEntry(origin, signal)
    },
    test: async (body: SetupClusterBody, signal: AbortSignal): Promise<SetupTestReply> =>
      tried(clusterOf(body), { clock, signal }),
    /** @throws JarvisError `conflict` */
    save(body: SetupClusterBody): SetupSaveReply {
      mayChange()
      saveSettings(config, variablesOf(clusterOf(body)))
      return { savedTo: settingsPath(config.dataDir), needsRestart: true }
    },
    /**
     * Removes the saved cluster, so that the demo is used from the next start on.
     * @returns the addresses that were saved
     * @throws JarvisError `conflict`
     */
    forget(): string[] {
      mayChange()
      const { PVE_URL = '' } = readEnvFile(settingsPath(config.dataDir))
      saveSettings(config, Object.fromEntries(Object.keys(proxmoxSettings).map((name) => [name, undefined])))
      return PVE_URL === '' ? [] : PVE_URL.split(',')
    },
  }
}

/** Reads the settings of a cluster from a request. @throws JarvisError `invalid_request` naming the invalid value */
function clusterOf({ urls, tokenId, tokenSecret, fingerprints }: SetupClusterBody): ProxmoxConfig {
  const read = readCluster({
    PVE_URL: urls.join(','),
    PVE_TOKEN_ID: tokenId,
    PVE_TOKEN_SECRET: tokenSecret,
    ...(fingerprints.length > 0 && { PVE_FINGERPRINT: fingerprints.join(',') }),
  })
  return { ca: undefined, tokenId, tokenSecret, urls: read.urls ?? [], fingerprints: read.fingerprints ?? [] }
}

/** Tries every address with the token and reads its rights. Changes nothing. */
async function tried(
  cluster: ProxmoxConfig,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<SetupTestReply> {
  const { entries, rights, nodes } = await inspectCluster(cluster, { now: () => clock.now(), signal })
  const all = toolRights(rights)
  const tools = all?.filter(({ choice }) => choice === undefined)
  const missing = (tools ?? []).flatMap((tool) => tool.missing.map(({ right }) => right))
  return {
    ok: entries.every(({ problem }) => problem === undefined) && missing.length === 0,
    entries: entries.map(({ skewMs: _, ...entry }) => entry),
    nodes: nodes.map(({ name, isOnline }) => ({ name, isOnline })),
    ...(tools !== undefined && {
      tools: tools.map((tool) => ({ ...tool, missing: tool.missing.map(({ right, base }) => `${right} on ${base}`) })),
      choices: openChoices(all ?? []).map(({ choice: { name, gives }, toolNames, line }) => ({
        name,
        gives,
        toolNames,
        command: line,
      })),
    }),
    ...(missing.length > 0 && { fix: roleLine(missing) }),
  }
}

/** The settings of a cluster; leftovers of another way to trust it are removed. */
export const variablesOf = ({ urls, tokenId, tokenSecret, fingerprints }: ProxmoxConfig) => ({
  PVE_URL: urls.join(','),
  PVE_TOKEN_ID: tokenId,
  PVE_TOKEN_SECRET: tokenSecret,
  PVE_FINGERPRINT: fingerprints.length === 0 ? undefined : fingerprints.join(','),
  PVE_CA_FILE: undefined,
})
