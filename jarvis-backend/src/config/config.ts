import { isIP } from 'node:net'
import type { ModelFallback } from 'protocol'
import type { KeySources } from 'secrets'
import { z } from 'zod'
import { parseProtected } from '../gate/index.ts'
import { type LogLevel, logLevels } from '../lib/log-levels.ts'
import { type ProxySettings, proxySettings, readProxies } from '../lib/proxies.ts'
import { isChannelVariable } from './channel-variables.ts'
import { ConfigError } from './config-error.ts'
import { drillOf, drillVariables } from './drill.ts'
import {
  demo,
  isModelVariable,
  type ModelConfig,
  type ModelVariable,
  modelsAtStart,
  modelVariables,
  urlVariable,
} from './model.ts'
import { noModels, type ReadableModels } from './models-file.ts'
import { type ConfiguredNodes, parseNodes } from './nodes.ts'
import { type OidcConfig, oidcOf, oidcVariables } from './oidc.ts'
import { pathOf } from './path-of.ts'
import { type PbsConfig, pbsOf, pbsVariables } from './pbs.ts'
import { type ProxmoxConfig, proxmoxOf, proxmoxVariables } from './proxmox.ts'
import { keySources } from './sealing.ts'
import { type SearchConfig, searchOf, searchVariables } from './search.ts'

export { ConfigError }

/** How texts become embeddings; `none`: search by keywords only. `folder`: of the embedded model, if not where it was installed. */
export type EmbeddingsConfig =
  | { kind: 'none' }
  | { kind: 'local'; folder?: string }
  | { kind: 'openai'; model: string; baseUrl: string; apiKey?: string }

export type Config = {
  port: number
  host: string
  dataDir: string
  /** Where the master keys are that open what is sealed in the data dir. */
  secretKeys: KeySources
  /** Undefined: the data dir's generated secrets are used. */
  password: string | undefined
  jwtSecret: string | undefined
  model: ModelConfig
  /** All models that a message may name; the one in use is first. */
  models: readonly ModelConfig[]
  /** What answers where a model fails. */
  fallbacks: readonly ModelFallback[]
  /** What of the saved models is not used, a sentence each. */
  modelProblems: readonly string[]
  /** What of the saved settings is not used, a sentence each. */
  settingsProblems: readonly string[]
  /** Model variables from the environment and `.env`, which the dashboard cannot change. */
  modelEnvironment: Partial<Record<ModelVariable, string>>
  /** Settings of channels from the environment and `.env`, which the dashboard cannot change. */
  channelEnvironment: Record<string, string>
  embeddings: EmbeddingsConfig
  /** The server that turns speech into text; undefined: none. */
  transcriptions: { model: string; baseUrl: string; apiKey?: string } | undefined
  /** What searches the web; undefined: nothing. */
  search: SearchConfig | undefined
  /** Weights of embeddings and keywords in a memory search, each 0..1. */
  memoryWeights: { vector: number; keyword: number }
  historyLimit: number
  /** Window of every model, tokens; undefined: by its name. */
  contextTokens: number | undefined
  maxTurns: number
  /** Whether models name sessions. */
  titles: 'auto' | 'on' | 'off'
  confirmTtlMs: number
  /** How long `/v1` holds the headers of a whole answer back, ms. */
  v1HoldMs: number
  protectedTargets: ReadonlySet<string>
  /** Host names for the dashboard, besides IP addresses and `localhost`. */
  allowedHosts: readonly string[]
  /** IP addresses of proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[]
  /** How long a sign-in lasts without use, ms. */
  signInIdleMs: number
  /** The origin under which a proxy publishes this server. */
  publicUrl: string | undefined
  /** The variable `TZ`, which sets the zone of the process. */
  tz: string | undefined
  /** Undefined: the demo cluster is used. */
  proxmox: ProxmoxConfig | undefined
  /** A service that people may sign in with; undefined: none. */
  oidc: OidcConfig | undefined
  /** Absent: no backup server is asked. */
  pbs: PbsConfig | undefined
  /** The restore drill: its own token, and the ids of its copies. */
  drill: { token: { tokenId: string; tokenSecret: string } | undefined; ids: { first: number; last: number } }
  /** Where the cluster's settings came from; `settings`: saved by the dashboard, which may change them. */
  clusterSource: 'demo' | 'environment' | 'settings'
  nodes: ConfiguredNodes
  ssh: {
    user: string
    /** File of a private key; undefined: only the agent is used. */
    keyPath: string | undefined
    knownHostsPath: string
    agentSocket: string | undefined
  }
  /** Where magic packets are sent: an IPv4 address, often a broadcast address. */
  wolTarget: { address: string; port: number }
  isTerminalOn: boolean
  /** Environment variables that processes started by JARVIS receive. */
  inheritedEnv: Record<string, string>
  /** The environment without JARVIS's own settings; it fills `${NAME}` in `mcp.json`. */
  variables: Record<string, string>
  /** What the environment says on proxies. */
  proxies: ProxySettings
  logLevel: LogLevel
  /** Used only by the `mcp` command. */
  mcpToken: string | undefined
  /** Configured secrets, which no log, transcript or client may show. */
  secrets: readonly string[]
}

const wholeNumber = (least: number, most: number, fallback: number, example: string) =>
  z
    .string()
    .refine((text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most, {
      message: `must be a whole number from ${least} to ${most}, for example ${example}`,
    })
    .transform(Number)
    .optional()
    .transform((value) => value ?? fallback)

const listOf = (list: string) =>
  list
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '')

const nodesExample = 'pve1=10.0.4.11,pve2=10.0.4.12:2222@aa:bb:cc:dd:ee:02'

const Environment = z.object({
  PORT: wholeNumber(0, 65_535, 4000, '4000'),
  HOST: z.string().default('127.0.0.1'),
  JARVIS_DATA_DIR: z.string().optional(),
  JARVIS_SECRETS_KEY: z
    .string()
    .regex(
      /^\s*[0-9a-f]{64}([\s,]+[0-9a-f]{64})*\s*$/i,
      'must be a key of 64 hexadecimal digits, or several with spaces between; make one with: openssl rand -hex 32',
    )
    .optional(),
  JARVIS_SECRETS_KEY_FILE: z.string().optional(),
  JARVIS_PASSWORD: z.string().min(8, 'must have at least 8 characters, for example correct-horse-battery').optional(),
  JWT_SECRET: z.string().min(32, 'must have at least 32 characters; make one with: openssl rand -hex 32').optional(),
  ...modelVariables,
  JARVIS_TITLES: z
    .enum(
      ['auto', 'on', 'off'],
      'must be auto (models elsewhere name a session after its first answer), on (local ones too) or off, for example auto',
    )
    .default('auto'),
  JARVIS_EMBEDDINGS: z
    .string()
    .regex(
      /^(local(:.+)?|none|openai\/.+)$/,
      'must be local, local:FOLDER, none or openai/MODEL, for example openai/nomic-embed-text',
    )
    .default('local'),
  JARVIS_TRANSCRIPTIONS: z
    .string()
    .regex(/^openai\/.+$/, 'must be openai/MODEL, for example openai/whisper-1')
    .optional(),
  JARVIS_TRANSCRIBE_URL: urlVariable.optional(),
  JARVIS_TRANSCRIBE_MODEL: z.string().min(1).max(200).default('whisper-1'),
  JARVIS_TRANSCRIBE_KEY: z.string().min(1).optional(),
  JARVIS_MEMORY_WEIGHTS: z
    .string()
    .regex(/^(0(\.\d+)?|1)\/(0(\.\d+)?|1)$/, 'must be MEANING/WORDS, each from 0 to 1, for example 0.7/0.3')
    .default('0.7/0.3')
    .transform((text) => {
      const [vector = 0, keyword = 0] = text.split('/').map(Number)
      return { vector, keyword }
    }),
  CHAT_HISTORY_LIMIT: wholeNumber(1, 1_000, 20, '20'),
  CHAT_CONTEXT_TOKENS: z
    .string()
    .regex(/^\d{4,8}$/, 'must be a whole number from 4000 to 10000000, for example 32000')
    .transform(Number)
    .refine(
      (tokens) => tokens >= 4_000 && tokens <= 10_000_000,
      'must be a whole number from 4000 to 10000000, for example 32000',
    )
    .optional(),
  CHAT_MAX_LOOP: wholeNumber(1, 100, 10, '10'),
  CONFIRM_TTL_SECONDS: wholeNumber(1, 604_800, 900, '900'),
  JARVIS_V1_HOLD_SECONDS: wholeNumber(0, 3_600, 50, '50'),
  JARVIS_PROTECTED: z
    .string()
    .default('node/agent1')
    .transform((list, context) => {
      const parsed = parseProtected(list)
      if (parsed.ok) return parsed.targets
      context.addIssue(`has an item that cannot be read: ${parsed.problem}, for example node/agent1,vm/101`)
      return z.NEVER
    }),
  JARVIS_ALLOWED_HOSTS: z
    .string()
    .default('')
    .transform(listOf)
    .refine((items) => items.every((item) => /^[a-z0-9.-]+$/.test(item)), {
      message: 'must be a comma list of host names without port, for example jarvis.lan,jarvis.example.org',
    }),
  JARVIS_TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform(listOf)
    .refine((items) => items.every((item) => isIP(item) !== 0), {
      message: 'must be a comma list of IP addresses, for example 127.0.0.1,10.0.4.2',
    }),
  JARVIS_SIGN_IN_IDLE_DAYS: wholeNumber(1, 30, 14, '14'),
  TZ: z.string().optional(),
  JARVIS_PUBLIC_URL: z
    .string()
    .refine(
      (text) => /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).href === `${new URL(text).origin}/`,
      {
        message: 'must be an origin without a path, for example https://jarvis.example.org',
      },
    )
    .transform((text) => new URL(text).origin)
    .optional(),
  ...proxmoxVariables,
  ...pbsVariables,
  ...oidcVariables,
  ...drillVariables,
  ...searchVariables,
  JARVIS_NODES: z
    .string()
    .default('')
    .transform((list, context) => {
      const parsed = parseNodes(list)
      if (parsed.ok) return parsed.nodes
      context.addIssue(`has an item that cannot be read: ${parsed.problem}, for example ${nodesExample}`)
      return z.NEVER
    }),
  SSH_USER: z
    .string()
    .regex(/^[a-z_][\w.-]{0,31}$/i, 'must be the name of an account on the nodes, for example root')
    .default('root'),
  SSH_KEY_PATH: z.string().optional(),
  SSH_KNOWN_HOSTS: z.string().default('~/.ssh/known_hosts'),
  SSH_AUTH_SOCK: z.string().optional(),
  WOL_BROADCAST: z
    .string()
    .default('255.255.255.255:9')
    .transform((text, context) => {
      const [, address = '', port = '9'] = /^([\d.]+)(?::(\d{1,5}))?$/.exec(text) ?? []
      if (isIP(address) === 4 && Number(port) >= 1 && Number(port) <= 65_535) return { address, port: Number(port) }
      context.addIssue('must be an IPv4 address and port, for example 10.0.4.255:9')
      return z.NEVER
    }),
  JARVIS_TERMINAL: z
    .enum(['0', '1'], 'must be 1 (an operator may open a shell on a node) or 0, for example 1')
    .default('0'),
  PATH: z.string().optional(),
  HOME: z.string().optional(),
  LANG: z.string().optional(),
  JARVIS_MCP_TOKEN: z
    .string()
    .regex(
      /^(jarvis|jmcp)_/,
      'must be a token of the door mcp; make one with: npm run jarvis -- token create NAME --door mcp',
    )
    .optional(),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}, for example info`).default('info'),
})

const lent = new Set(['PATH', 'HOME', 'LANG'])
/** Whether a variable is a setting of JARVIS's own, which goes to no program and no server. */
export const isOwnVariable = (name: string): boolean =>
  !lent.has(name) &&
  (Object.hasOwn(Environment.shape, name) ||
    isModelVariable(name) ||
    /^(?:JARVIS_|PVE_|CREDENTIALS_DIRECTORY$|(?:https?|all|no)_proxy$)/i.test(name))

/** Values that a person makes up, in which quotes may be meant. */
const chosen = new Set(['JARVIS_PASSWORD', 'JWT_SECRET'])

/**
 * Reads the configuration. An empty value counts as absent.
 * @param saved used where the environment says nothing
 * @param models providers by name, of the data dir
 * @throws ConfigError naming the first variable that cannot be used
 */
export function readConfig(
  env: Record<string, string | undefined>,
  saved: Record<string, string> = {},
  { file: named, problems, isFirstLost }: ReadableModels = noModels,
): Config {
  const given = Object.fromEntries(
    Object.entries({ ...env, ...saved }).filter(([, value]) => value !== undefined && value.trim() !== ''),
  )
  const quoted = Object.keys(Environment.shape).find(
    (name) => !chosen.has(name) && /^(['"]).*\1$/s.test(env[name]?.trim() ?? ''),
  )
  if (quoted !== undefined) {
    throw new ConfigError(
      `${quoted} has quotes around its value: docker run --env-file passes them on as they are. Leave them out there.`,
    )
  }
  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new ConfigError(`${String(issue?.path[0])} ${issue?.message}.`)
  }
  const value = parsed.data
  if (!isLoopback(value.HOST) && (value.JARVIS_PASSWORD === undefined || value.JWT_SECRET === undefined)) {
    const missing = value.JARVIS_PASSWORD === undefined ? 'JARVIS_PASSWORD' : 'JWT_SECRET'
    throw new ConfigError(
      `HOST is ${value.HOST}, which others on the network can reach, so ${missing} must be set too, for example ${missing}=${missing === 'JWT_SECRET' ? '$(openssl rand -hex 32)' : 'correct-horse-battery'}; or use HOST=127.0.0.1.`,
    )
  }
  const { models, lost } = modelsAtStart(value, named, isFirstLost && value.JARVIS_MODEL === undefined)
  const isOurs = problems.length > 0 || ('JARVIS_MODEL' in saved && lost?.startsWith('JARVIS_MODEL ') === true)
  if (lost !== undefined && !isOurs) throw new ConfigError(lost)
  const [model = demo] = models
  const proxmox = proxmoxOf(value)
  if (typeof proxmox === 'string') throw new ConfigError(proxmox)
  const pbs = pbsOf(value)
  if (typeof pbs === 'string') throw new ConfigError(pbs)
  const oidc = oidcOf(value)
  if (typeof oidc === 'string') throw new ConfigError(oidc)
  const drill = drillOf(value)
  if (typeof drill === 'string') throw new ConfigError(drill)
  const search = searchOf(value)
  if (typeof search === 'string') throw new ConfigError(search)
  const proxies = proxySettings(env)
  return Object.freeze({
    port: value.PORT,
    host: value.HOST,
    dataDir: pathOf(value.JARVIS_DATA_DIR ?? '~/.jarvis'),
    secretKeys: keySources(env),
    password: value.JARVIS_PASSWORD,
    jwtSecret: value.JWT_SECRET,
    model,
    models,
    fallbacks: named.fallbacks,
    modelProblems: [...problems, ...(lost === undefined ? [] : [`${lost} Until then the demo answers.`])],
    settingsProblems: [],
    modelEnvironment: Object.fromEntries(
      Object.entries(given).filter(([name]) => isModelVariable(name) && !(name in saved)),
    ),
    channelEnvironment: Object.fromEntries(
      Object.entries(given).flatMap(([name, text]) =>
        isChannelVariable(name) && text !== undefined && !(name in saved) ? [[name, text]] : [],
      ),
    ),
    embeddings: embeddingsOf(value),
    transcriptions: transcriptionsOf(value),
    search,
    memoryWeights: value.JARVIS_MEMORY_WEIGHTS,
    historyLimit: value.CHAT_HISTORY_LIMIT,
    contextTokens: value.CHAT_CONTEXT_TOKENS,
    maxTurns: value.CHAT_MAX_LOOP,
    titles: value.JARVIS_TITLES,
    v1HoldMs: value.JARVIS_V1_HOLD_SECONDS * 1000,
    confirmTtlMs: value.CONFIRM_TTL_SECONDS * 1000,
    protectedTargets: value.JARVIS_PROTECTED,
    allowedHosts: [
      ...value.JARVIS_ALLOWED_HOSTS,
      ...(value.JARVIS_PUBLIC_URL === undefined ? [] : [new URL(value.JARVIS_PUBLIC_URL).hostname]),
    ],
    trustedProxies: value.JARVIS_TRUSTED_PROXIES,
    signInIdleMs: value.JARVIS_SIGN_IN_IDLE_DAYS * 86_400_000,
    publicUrl: value.JARVIS_PUBLIC_URL,
    tz: value.TZ,
    proxmox,
    oidc,
    pbs,
    drill,
    clusterSource: proxmox === undefined ? 'demo' : saved.PVE_URL === undefined ? 'environment' : 'settings',
    nodes: value.JARVIS_NODES,
    ssh: {
      user: value.SSH_USER,
      keyPath: value.SSH_KEY_PATH === undefined ? undefined : pathOf(value.SSH_KEY_PATH),
      knownHostsPath: pathOf(value.SSH_KNOWN_HOSTS),
      agentSocket: value.SSH_AUTH_SOCK,
    },
    wolTarget: value.WOL_BROADCAST,
    isTerminalOn: value.JARVIS_TERMINAL === '1',
    inheritedEnv: Object.fromEntries(
      (['PATH', 'HOME', 'LANG'] as const).flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]]])),
    ),
    variables: Object.fromEntries(
      Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined && !isOwnVariable(pair[0])),
    ),
    proxies,
    logLevel: value.LOG_LEVEL,
    mcpToken: value.JARVIS_MCP_TOKEN,
    secrets: [
      value.JARVIS_PASSWORD,
      value.JWT_SECRET,
      value.JARVIS_MCP_TOKEN,
      ...(value.JARVIS_SECRETS_KEY?.split(/[\s,]+/) ?? []),
      value.ANTHROPIC_API_KEY,
      value.OPENAI_API_KEY,
      value.JARVIS_TRANSCRIBE_KEY,
      value.PVE_TOKEN_SECRET,
      value.PBS_TOKEN_SECRET,
      value.JARVIS_OIDC_CLIENT_SECRET,
      value.PROXMOX_DRILL_TOKEN_SECRET,
      value.JARVIS_SEARCH_KEY,
      ...readProxies(proxies).secrets,
      ...named.providers.flatMap(({ key, headers = {} }) => [key, ...Object.values(headers)]),
    ].filter((secret) => secret !== undefined),
  })
}

function transcriptionsOf(value: z.output<typeof Environment>): Config['transcriptions'] {
  const { JARVIS_TRANSCRIBE_URL: baseUrl, JARVIS_TRANSCRIBE_MODEL: model, JARVIS_TRANSCRIBE_KEY: apiKey } = value
  if (baseUrl !== undefined) return { baseUrl, model, apiKey }
  const chosen = value.JARVIS_TRANSCRIPTIONS
  return chosen === undefined ? undefined : openAiServer(value, 'JARVIS_TRANSCRIPTIONS', chosen)
}

/** Address, key and model of `openai/MODEL`. @throws ConfigError naming what is missing */
function openAiServer(value: z.output<typeof Environment>, name: string, chosen: string) {
  if (value.OPENAI_API_KEY === undefined && value.OPENAI_BASE_URL === undefined) {
    throw new ConfigError(
      `${name} is ${chosen}, so OPENAI_API_KEY or OPENAI_BASE_URL must be set, for example OPENAI_BASE_URL=http://127.0.0.1:11434/v1`,
    )
  }
  return {
    model: chosen.slice('openai/'.length),
    baseUrl: value.OPENAI_BASE_URL ?? 'https://api.openai.com/v1',
    ...(value.OPENAI_API_KEY !== undefined && { apiKey: value.OPENAI_API_KEY }),
  }
}

function embeddingsOf(value: z.output<typeof Environment>): EmbeddingsConfig {
  const chosen = value.JARVIS_EMBEDDINGS
  if (chosen === 'none') return { kind: 'none' }
  if (chosen === 'local') return { kind: 'local' }
  if (chosen.startsWith('local:')) return { kind: 'local', folder: chosen.slice('local:'.length) }
  return { kind: 'openai', ...openAiServer(value, 'JARVIS_EMBEDDINGS', chosen) }
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
