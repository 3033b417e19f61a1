import { hostChecks } from './address-checks.ts'
import { configurationChecks, lostModelChecks } from './configuration-checks.ts'
import { contextChecks } from './context-checks.ts'
import { dataChecks } from './data-checks.ts'
import { homelabChecks } from './homelab-checks.ts'
import type { Inspector } from './inspector.ts'
import { modelChecks } from './model-checks.ts'
import { pbsChecks } from './pbs-checks.ts'
import { proxyChecks } from './proxy-checks.ts'
import { searchChecks } from './search-checks.ts'
import { secretChecks } from './secret-checks.ts'
import { speechChecks } from './speech-checks.ts'
import { zoneChecks } from './zone-checks.ts'

/** The inspectors of the doctor, in the order of its lines. */
export const inspectors: readonly Inspector[] = [
  { area: 'Configuration', inspect: ({ config }) => configurationChecks(config) },
  { area: 'Cluster', inspect: ({ config, parts, signal }) => homelabChecks(config, parts.clock, signal) },
  {
    area: 'Backup server',
    inspect: ({ config: { pbs }, signal }) => (pbs === undefined ? [] : pbsChecks(pbs, signal)),
  },
  {
    area: 'Web search',
    inspect: ({ config: { search }, parts, signal }) =>
      search === undefined ? [] : searchChecks(search, parts.clock, signal),
  },
  { area: 'Model', inspect: ({ config }) => lostModelChecks(config) },
  { area: 'Model', inspect: ({ config, parts, signal }) => (parts.asksModel ? modelChecks(config.model, signal) : []) },
  {
    area: 'Context',
    inspect: ({ config, parts, signal }) => (parts.asksModel ? contextChecks(config.model, signal) : []),
  },
  { area: 'Server', inspect: ({ parts }) => parts.seen?.() ?? [] },
  { area: 'Embeddings', inspect: ({ parts, signal }) => parts.embeddings(signal) },
  { area: 'Speech', inspect: ({ config, signal }) => speechChecks(config.transcriptions, signal) },
  { area: 'Proxy', inspect: ({ config }) => proxyChecks(config) },
  { area: 'Time zone', inspect: ({ config }) => zoneChecks(config) },
  { area: 'Data', inspect: ({ config, parts }) => dataChecks(config.dataDir, parts.envPath) },
  { area: 'Secrets', inspect: ({ config }) => secretChecks(config) },
  { area: 'Database', inspect: ({ parts }) => parts.database() },
  { area: 'Address', inspect: ({ config }) => hostChecks(config) },
  { area: 'Port', inspect: ({ parts, signal }) => parts.port(signal) },
]
