import type { SecretPlaces } from 'redaction/attached-secrets'

export type Json = Record<string, unknown>
/** Keys from the root of a file down to a value. */
export type Path = readonly (string | number)[]
export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** One entry of `mcp.json`. `at`: its path in the file. */
export type NamedEntry = { name: string; at: Path; entry: unknown }

/** The keys under which programs store their servers: Claude, Cursor and most others; VS Code; Zed; VS Code's settings; OpenCode. */
const homes: readonly Path[] = [
  ['mcpServers'],
  ['servers'],
  ['context_servers'],
  ['mcp', 'servers'],
  ['mcp', 'mcpServers'],
  ['mcp'],
]
export const valueAt = (file: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as Json)[key] : undefined,
    file,
  )

const addressing = ['command', 'cmd', 'url', 'serverUrl', 'server_url', 'httpUrl', 'http_url']
const isEntry = (value: unknown) => isRecord(value) && addressing.some((key) => Object.hasOwn(value, key))

/** The paths of the objects that hold servers by name. If a file has none of the known keys, the file itself may be such an object. */
export function homesIn(file: Json): Path[] {
  const found = homes.filter((path) => valueAt(file, path) !== undefined)
  if (found.length === 0) return Object.values(file).some(isEntry) ? [[]] : []
  return found.filter((path) => !found.some((other) => other.length > path.length && other[0] === path[0]))
}

/** All entries of a file in their order. @returns a message if the object that should hold the entries holds none */
export function entriesIn(file: Json): NamedEntry[] | string {
  const entries: NamedEntry[] = []
  for (const home of homesIn(file)) {
    const servers = valueAt(file, home)
    if (Array.isArray(servers))
      entries.push(
        ...servers.map((entry: unknown, index) => ({
          name: isRecord(entry) && typeof entry.name === 'string' ? entry.name : '',
          at: [...home, index],
          entry,
        })),
      )
    else if (isRecord(servers))
      entries.push(
        ...Object.entries(servers)
          .filter(([, entry]) => home.length > 0 || isEntry(entry))
          .map(([name, entry]) => ({ name, at: [...home, name], entry })),
      )
    else return `mcp.json: ${home.join('.')} must be an object, a server each.`
  }
  return entries
}

/** The inputs of a file that have a default, by id. `at`: the default's path in the file. */
export type Inputs = Map<string, { at: Path; text: string; isSecret: boolean }>

/** Defaults of VS Code's `inputs` by id, each with its path. */
export function inputsIn(file: unknown): Inputs {
  const found = [['inputs'], ['mcp', 'inputs']].flatMap((home) => {
    const inputs = valueAt(file, home)
    return (Array.isArray(inputs) ? inputs : []).flatMap((input: unknown, index) =>
      isRecord(input) && typeof input.id === 'string' && typeof input.default === 'string'
        ? [
            [
              input.id,
              { at: [...home, index, 'default'], text: input.default, isSecret: input.password === true },
            ] as const,
          ]
        : [],
    )
  })
  return new Map(found)
}

/** The names of each field in different programs. The first name that occurs counts. */
const spellings = {
  command: ['command', 'cmd'],
  args: ['args', 'arguments'],
  env: ['env', 'environment'],
  cwd: ['cwd', 'workingDirectory'],
  url: ['httpUrl', 'http_url', 'url', 'serverUrl', 'server_url'],
  headers: ['headers', 'http_headers', 'httpHeaders'],
  type: ['type', 'transport', 'transportType'],
  enabled: ['enabled', 'isActive'],
  lazy: ['lazy'],
  oauth: ['oauth', 'auth'],
} as const
type Field = keyof typeof spellings
const fields = Object.keys(spellings) as Field[]

/** Matches fields that name calls for which another program does not ask. JARVIS ignores them, because its gate decides. */
const trusting = /^(?:auto_?(?:approve|allow)\w*|always_?allow\w*|trust(?:ed)?)$/i
/** Matches fields that choose which tools another program offers. */
const choosing = /^(?:(?:disabled|enabled|allowed|excluded?|included?)_?tools|tools)$/i
/** Matches fields that do not change how a server is reached. */
const harmless =
  /^(?:[_$/].*|name|title|display_?name|description|notes?|comments?|icon\w*|logo\w*|gallery|version|source|tags|author|license|homepage|repository|registry\w*|provider\w*|id|dev|is_?builtin|(?:\w+_?)?timeouts?(?:_?(?:ms|sec))?|settings|disabled)$/i

/** An entry with JARVIS's own names of the fields. */
export type PlainEntry = {
  entry: Json
  /** The path of each field within the entry as it was written. */
  places: Partial<Record<Field, Path>>
  /** Fields that JARVIS ignores, one sentence each. */
  remarks: string[]
}

/** Reads an entry in any program's form. A value of the wrong type is passed on, because the schema reports the mistake. */
export function plainEntry(raw: Json): PlainEntry {
  const entry: Json = {}
  const places: PlainEntry['places'] = {}
  const used = new Set<string>()
  for (const field of fields) {
    const spelling = spellings[field].find((name) => Object.hasOwn(raw, name) && raw[name] !== null && raw[name] !== '')
    if (spelling === undefined) continue
    used.add(spelling)
    entry[field] = raw[spelling]
    places[field] = [spelling]
  }
  // Zed's older form has an object here; other forms have one list with the program and its arguments.
  const { command } = entry
  if (isRecord(command)) {
    for (const [field, key] of [
      ['command', 'path'],
      ['args', 'args'],
      ['env', 'env'],
    ] as const) {
      if (!Object.hasOwn(command, key)) continue
      entry[field] = command[key]
      places[field] = ['command', key]
    }
  } else if (Array.isArray(command) && entry.args === undefined) {
    entry.command = command[0]
    entry.args = command.slice(1)
    places.command = ['command', 0]
    places.args = []
  }
  if (typeof entry.type === 'string') entry.type = kindOf(entry.type)
  if (isRecord(entry.env)) entry.env = texts(entry.env)
  if (isRecord(entry.headers)) entry.headers = texts(entry.headers)
  if (Array.isArray(entry.args))
    entry.args = entry.args.map((arg: unknown) => (typeof arg === 'number' ? `${arg}` : arg))
  if (isRecord(entry.oauth)) entry.oauth = clientOf(entry.oauth)
  else if (typeof entry.oauth === 'string' || typeof entry.oauth === 'boolean') delete entry.oauth
  const isContradictory = typeof raw.disabled === 'boolean' && raw.disabled === entry.enabled
  if (raw.disabled === true) entry.enabled = false
  if (typeof raw.disabled === 'boolean') places.enabled = ['disabled']
  return { entry, places, remarks: [...(isContradictory ? [contradictory] : []), ...remarksOn(raw, used)] }
}

const contradictory = 'enabled and disabled contradict each other, so it is off. Turn it on here, or remove one of them'

const kinds: Readonly<Record<string, string>> = {
  streamablehttp: 'http',
  streamable: 'http',
  httpstream: 'http',
  remote: 'http',
  https: 'http',
  serversentevents: 'sse',
  local: 'stdio',
}
/** Normalises a type: `streamable-http`, `streamableHttp` → `http`. */
function kindOf(type: string): string {
  const word = type.toLowerCase().replace(/[^a-z]/g, '')
  return kinds[word] ?? (['http', 'sse', 'stdio'].includes(word) ? word : type)
}

const texts = (record: Json): Json =>
  Object.fromEntries(
    Object.entries(record)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, typeof value === 'number' || typeof value === 'boolean' ? `${value}` : value]),
  )

/** A client that an operator registered by hand, in the field names of Claude, Cursor and Gemini. */
function clientOf(oauth: Json): Json | undefined {
  const clientId = oauth.clientId ?? oauth.client_id ?? oauth.CLIENT_ID
  const clientSecret = oauth.clientSecret ?? oauth.client_secret ?? oauth.CLIENT_SECRET
  const issuer = oauth.issuer ?? oauth.issuerUrl ?? oauth.issuer_url
  const scopes = oauth.scopes ?? oauth.scope
  const plain = {
    ...(issuer !== undefined && { issuer }),
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(scopes !== undefined && {
      scopes: typeof scopes === 'string' ? scopes.split(/[\s,]+/).filter(Boolean) : scopes,
    }),
  }
  return Object.keys(plain).length === 0 ? undefined : plain
}

function remarksOn(raw: Json, used: ReadonlySet<string>): string[] {
  const saysNothing = (value: unknown) => value === null || value === '' || (Array.isArray(value) && value.length === 0)
  const left = Object.keys(raw).filter((key) => !used.has(key) && !harmless.test(key) && !saysNothing(raw[key]))
  return [
    ...left
      .filter((key) => trusting.test(key))
      .map((key) => `${key} is not used: each tool asks until you give it a tier here`),
    ...left
      .filter((key) => choosing.test(key))
      .map((key) => `${key} is not used: all its tools are listed, and each asks until you give it a tier`),
    ...left.filter((key) => !trusting.test(key) && !choosing.test(key)).map((key) => `${key} is not used`),
  ]
}

/** The texts of an entry that may contain secrets, even if the entry is faulty. */
export function secretPlaces({ entry }: PlainEntry): SecretPlaces {
  const strings = (value: unknown) =>
    isRecord(value)
      ? Object.fromEntries(
          Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
        )
      : undefined
  const secret = isRecord(entry.oauth) ? entry.oauth.clientSecret : undefined
  return {
    clientSecret: typeof secret === 'string' ? secret : undefined,
    command: typeof entry.command === 'string' ? entry.command : undefined,
    args: Array.isArray(entry.args) ? entry.args.filter((arg) => typeof arg === 'string') : undefined,
    env: strings(entry.env),
    url: typeof entry.url === 'string' ? entry.url : undefined,
    headers: strings(entry.headers),
  }
}
