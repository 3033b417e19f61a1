import { isIP } from 'node:net'
import type { ModelFallback } from 'protocol'
import type { KeySources } from 'secrets'
import type { z } from 'zod'
import type { LogLevel } from '../lib/log-levels.ts'
import { type ProxySettings, proxySettings, readProxies } from '../lib/proxies.ts'
import { isChannelVariable } from './channel-variables.ts'
import { ConfigError } from './config-error.ts'
import { drillOf, drillSettings } from './drill.ts'
import { type EmbeddingsConfig, embeddingsOf, memorySettings } from './memory.ts'
import { demo, isModelVariable, type ModelConfig, type ModelVariable, modelsAtStart } from './model.ts'
import { chatSettings, modelSettings } from './model-settings.ts'
import { noModels, type ReadableModels } from './models-file.ts'
import type { ConfiguredNodes } from './nodes.ts'
import { type OidcConfig, oidcOf, oidcSettings } from './oidc.ts'
import { pathOf } from './path-of.ts'
import { type PbsConfig, pbsOf, pbsSettings } from './pbs.ts'
import { type ProxmoxConfig, proxmoxOf, proxmoxSettings } from './proxmox.ts'
import { safetySettings } from './safety.ts'
import { keySources } from './sealing.ts'
import { type SearchConfig, searchOf, searchSettings } from './search.ts'
import { serverSettings, systemSettings } from './server.ts'
import type { Setting, SettingValues, ValuesOf } from './setting.ts'
import { settings } from './settings.ts'
import { type SpeechConfig, speechSettings, transcriptionsOf } from './speech.ts'
import { sshSettings } from './ssh.ts'

export { ConfigError, type EmbeddingsConfig }

export type Config = {
  port: number
  host: string
  dataDir: string
  /** The places of the master keys, which open the sealed secrets of the data dir. */
  secretKeys: KeySources
  /** Undefined: the data dir's generated secrets are used. */
  password: string | undefined
  jwtSecret: string | undefined
  model: ModelConfig
  /** All models that a message may name. The one in use comes first. */
  models: readonly ModelConfig[]
  /** The models that answer if another one fails. */
  fallbacks: readonly ModelFallback[]
  /** Faults of the saved models, one sentence each. */
  modelProblems: readonly string[]
  /** Saved settings that are not used, one sentence each. */
  settingsProblems: readonly string[]
  /** Model variables from the environment and `.env`, which the dashboard cannot change. */
  modelEnvironment: Partial<Record<ModelVariable, string>>
  /** Settings of channels from the environment and `.env`, which the dashboard cannot change. */
  channelEnvironment: Record<string, string>
  embeddings: EmbeddingsConfig
  /** The server that turns speech into text; undefined: none. */
  transcriptions: SpeechConfig | undefined
  /** The service that searches the web; undefined: none. */
  search: SearchConfig | undefined
  /** Weights of embeddings and keywords in a memory search, each 0..1. */
  memoryWeights: { vector: number; keyword: number }
  historyLimit: number
  /** The context window of every model, tokens; undefined: chosen by the model's name. */
  contextTokens: number | undefined
  maxTurns: number
  /** The models that may name sessions. `auto`: all models except local ones. */
  titles: 'auto' | 'on' | 'off'
  confirmTtlMs: number
  /** Longest time that `/v1` holds back the headers of an answer that is not streamed, ms. */
  v1HoldMs: number
  protectedTargets: ReadonlySet<string>
  /** Host names for the dashboard, besides IP addresses and `localhost`. */
  allowedHosts: readonly string[]
  /** IP addresses of proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[]
  /** Time without use after which a sign-in ends, ms. */
  signInIdleMs: number
  /** The origin under which a proxy publishes this server. */
  publicUrl: string | undefined
  /** The variable `TZ`, which sets the zone of the process. */
  tz: string | undefined
  /** Undefined: the demo cluster is used. */
  proxmox: ProxmoxConfig | undefined
  /** A service that people may sign in with; undefined: none. */
  oidc: OidcConfig | undefined
  /** Undefined: no backup server is used. */
  pbs: PbsConfig | undefined
  /** The restore drill: its own token, and the ids of its copies. */
  drill: { token: { tokenId: string; tokenSecret: string } | undefined; ids: { first: number; last: number } }
  /** The source of the cluster's settings. `settings`: the dashboard saved them and may change them. */
  clusterSource: 'demo' | 'environment' | 'settings'
  nodes: ConfiguredNodes
  ssh: {
    user: string
    /** File of a private key; undefined: only the agent is used. */
    keyPath: string | undefined
    knownHostsPath: string
    agentSocket: string | undefined
  }
  /** The address to which wake-on-LAN packets are sent: an IPv4 address, often a broadcast address. */
  wolTarget: { address: string; port: number }
  isTerminalOn: boolean
  /** Environment variables that processes started by JARVIS inherit. */
  inheritedEnv: Record<string, string>
  /** The environment without JARVIS's own settings; it fills `${NAME}` in `mcp.json`. */
  variables: Record<string, string>
  /** The proxy variables of the environment. */
  proxies: ProxySettings
  logLevel: LogLevel
  /** Used only by the `mcp` command. */
  mcpToken: string | undefined
  /** Configured secrets, which no log, transcript or client may show: secrets of all settings, of proxies and of named providers. */
  secrets: readonly string[]
  /** Returns the value of a registered setting, for a part of JARVIS that declares its own settings. */
  value<Schema extends z.ZodType>(setting: Setting<Schema>): z.output<Schema>
}

type Given = Readonly<Record<string, string>>

/**
 * Reads the configuration. An empty value counts as absent.
 * @param saved used for variables that the environment does not set @param models the data dir's providers by name
 * @throws ConfigError that names the first variable that cannot be used
 */
export function readConfig(
  env: Record<string, string | undefined>,
  saved: Given = {},
  models: ReadableModels = noModels,
): Config {
  const given = Object.fromEntries(
    Object.entries({ ...env, ...saved }).filter(
      (pair): pair is [string, string] => pair[1]?.trim() !== '' && pair[1] !== undefined,
    ),
  )
  refuseQuotes(env)
  const read = settings.read(given)
  if (!read.ok) throw new ConfigError(read.problem)
  const { values } = read
  const proxies = proxySettings(env)
  const { file: named } = models
  return Object.freeze({
    ...serverOf(values),
    ...modelsOf(values, saved, models),
    ...chatOf(values),
    ...clusterOf(values, saved),
    ...servicesOf(values),
    secretKeys: keySources(env),
    settingsProblems: [],
    modelEnvironment: fromEnvironment(given, saved, isModelVariable),
    channelEnvironment: fromEnvironment(given, saved, isChannelVariable),
    inheritedEnv: setIn(
      given,
      settings.list().flatMap(({ name, isLent }) => (isLent === true ? [name] : [])),
    ),
    variables: Object.fromEntries(
      Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined && !settings.isOwn(pair[0])),
    ),
    proxies,
    secrets: [
      ...settings.secretsIn(given),
      ...readProxies(proxies).secrets,
      ...named.providers.flatMap(({ key, headers = {} }) => [key, ...Object.values(headers)]),
    ].filter((secret) => secret !== undefined),
    value: <Schema extends z.ZodType>(setting: Setting<Schema>) => values.of(setting),
  })
}

/** @throws ConfigError that names the first variable whose value is in quotes by mistake */
function refuseQuotes(env: Readonly<Record<string, string | undefined>>): void {
  const quoted = settings
    .list()
    .find(({ name, mayHaveQuotes }) => mayHaveQuotes !== true && /^(['"]).*\1$/s.test(env[name]?.trim() ?? ''))
  if (quoted === undefined) return
  throw new ConfigError(
    `${quoted.name} has quotes around its value: docker run --env-file passes them on as they are. Leave them out there.`,
  )
}

/** @throws ConfigError if the host is open to the network without both a password and a key */
function serverOf(values: SettingValues) {
  const value = values.in(serverSettings)
  refuseOpenHost(value)
  const publicUrl = value.JARVIS_PUBLIC_URL
  return {
    port: value.PORT,
    host: value.HOST,
    dataDir: pathOf(value.JARVIS_DATA_DIR ?? '~/.jarvis'),
    password: value.JARVIS_PASSWORD,
    jwtSecret: value.JWT_SECRET,
    allowedHosts: [...value.JARVIS_ALLOWED_HOSTS, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])],
    trustedProxies: value.JARVIS_TRUSTED_PROXIES,
    signInIdleMs: value.JARVIS_SIGN_IN_IDLE_DAYS * 86_400_000,
    publicUrl,
    tz: value.TZ,
    logLevel: value.LOG_LEVEL,
    oidc: orRefuse(oidcOf(values.in(oidcSettings))),
  }
}

function refuseOpenHost({ HOST, JARVIS_PASSWORD, JWT_SECRET }: ValuesOf<typeof serverSettings>): void {
  if (isLoopback(HOST) || (JARVIS_PASSWORD !== undefined && JWT_SECRET !== undefined)) return
  const missing = JARVIS_PASSWORD === undefined ? 'JARVIS_PASSWORD' : 'JWT_SECRET'
  throw new ConfigError(
    `HOST is ${HOST}, which others on the network can reach, so ${missing} must be set too, for example ${missing}=${missing === 'JWT_SECRET' ? '$(openssl rand -hex 32)' : 'correct-horse-battery'}; or use HOST=127.0.0.1.`,
  )
}

/** @throws ConfigError if the environment names a model that does not exist. If a saved setting does, the demo answers instead */
function modelsOf(values: SettingValues, saved: Given, { file, problems, isFirstLost }: ReadableModels) {
  const value = values.in(modelSettings)
  const { models, lost } = modelsAtStart(value, file, isFirstLost && value.JARVIS_MODEL === undefined)
  const isOurs = problems.length > 0 || ('JARVIS_MODEL' in saved && lost?.startsWith('JARVIS_MODEL ') === true)
  if (lost !== undefined && !isOurs) throw new ConfigError(lost)
  const [model = demo] = models
  return {
    model,
    models,
    fallbacks: file.fallbacks,
    modelProblems: [...problems, ...(lost === undefined ? [] : [`${lost} Until then the demo answers.`])],
    embeddings: embeddingsOf(values.in(memorySettings), value),
    transcriptions: transcriptionsOf(values.in(speechSettings), value),
  }
}

function chatOf(values: SettingValues) {
  const chat = values.in(chatSettings)
  const safety = values.in(safetySettings)
  return {
    memoryWeights: values.of(memorySettings.JARVIS_MEMORY_WEIGHTS),
    historyLimit: chat.CHAT_HISTORY_LIMIT,
    contextTokens: chat.CHAT_CONTEXT_TOKENS,
    maxTurns: chat.CHAT_MAX_LOOP,
    titles: chat.JARVIS_TITLES,
    v1HoldMs: safety.JARVIS_V1_HOLD_SECONDS * 1000,
    confirmTtlMs: safety.CONFIRM_TTL_SECONDS * 1000,
    protectedTargets: safety.JARVIS_PROTECTED,
    isTerminalOn: safety.JARVIS_TERMINAL === '1',
    mcpToken: safety.JARVIS_MCP_TOKEN,
  }
}

function clusterOf(values: SettingValues, saved: Given) {
  const proxmox = orRefuse(proxmoxOf(values.in(proxmoxSettings)))
  const ssh = values.in(sshSettings)
  const source: Config['clusterSource'] =
    proxmox === undefined ? 'demo' : saved.PVE_URL === undefined ? 'environment' : 'settings'
  return {
    proxmox,
    clusterSource: source,
    nodes: ssh.JARVIS_NODES,
    ssh: {
      user: ssh.SSH_USER,
      keyPath: ssh.SSH_KEY_PATH === undefined ? undefined : pathOf(ssh.SSH_KEY_PATH),
      knownHostsPath: pathOf(ssh.SSH_KNOWN_HOSTS),
      agentSocket: values.of(systemSettings.SSH_AUTH_SOCK),
    },
    wolTarget: ssh.WOL_BROADCAST,
    pbs: orRefuse(pbsOf(values.in(pbsSettings))),
    drill: orRefuse(drillOf(values.in(drillSettings))),
  }
}

const servicesOf = (values: SettingValues) => ({ search: orRefuse(searchOf(values.in(searchSettings))) })

/** @param read the combined value of a group of settings; a string describes a mistake */
function orRefuse<T>(read: T): Exclude<T, string> {
  if (typeof read === 'string') throw new ConfigError(read)
  return read as Exclude<T, string>
}

/** Variables of the environment and `.env`, which the dashboard cannot change. */
const fromEnvironment = (given: Given, saved: Given, isWanted: (name: string) => boolean): Record<string, string> =>
  Object.fromEntries(Object.entries(given).filter(([name]) => isWanted(name) && !(name in saved)))

const setIn = (given: Given, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])))

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
