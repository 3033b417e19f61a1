/** The fields of an entry of `mcp.json` that may hold secrets. All are optional, because a broken entry may hold secrets too. */
export type SecretPlaces = {
  command?: string | undefined
  args?: readonly string[] | undefined
  env?: Readonly<Record<string, string>> | undefined
  url?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
  clientSecret?: string | undefined
}

/** Parts of names whose values are secrets. Short parts count only if separators, capital letters or the end of the name delimit them. */
const telling =
  /key|token|secret|passw|passphrase|pwd|auth|cred|cookie|session|bearer|signature|(?:^|[_.-])(?:pass|pw|pat|psk|jwt|otp|totp|sig)(?:$|[_.-])|pass$|[a-z](?:Pass|Pw|Pat|Jwt)(?:$|[A-Z])/
/** Names that contain such a part although their values are words, counts or addresses. */
const harmless =
  /(?:com|by|over|under|sur|tres)pass$|(?:max|min|num|total)[_-]?(?:\w{1,20}[_-])?tokens?$|tokens?[_-]?(?:limit|count|budget)|tokenizer|auth[_-]?(?:source|mech|type|method|mode|scheme|enticat)|author(?:s|ity)?$|keyspace|keyboard|keycloak|key_?name$|keep_?alive|(?:^|[_-])(?:ur[il]|endpoint|host|port)$/i
const plainly = /^(?:|true|false|yes|no|on|off|none|null|default|auto)$/i

/** Tests if the name of a variable, a header, an option or a query parameter stands for a secret. */
export const isSecretName = (name: string): boolean =>
  !harmless.test(name) && (telling.test(name.toLowerCase()) || telling.test(name))
/** Tests if a value looks generated: at least 20 characters, letters and digits mixed, not a path and not words. */
const looksMade = (value: string) => /^[A-Za-z0-9+=_.-]{20,}$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value)
/** Tests if a segment of a path looks generated. The test is stricter, because a segment is often a name with a version. */
const isMadeSegment = (part: string) =>
  /^[A-Za-z0-9_-]{24,}$/.test(part) && /(?:\d[^\d]*){3}/.test(part) && /[A-Za-z]/.test(part)

/** The scheme that stands before the secret in a header's value. */
const scheme = /^(?:bearer|basic|token|apikey|api-key|bot|digest)\s+/i
/** Tests if a value consists of `${NAME}` references, which are filled in later. Such a value holds no secret itself, unless it has a default. */
const isToBeFilled = (value: string) => /^(?:\$\{[^}]*\}\s*)+$/.test(value.replace(scheme, '')) && !/:-[^}]/.test(value)

/**
 * Returns the secrets in the values of an entry, as written and decoded. A value is a secret because of its name or its form. Words such as
 * `production` in `env` are not secret, and `${NAME}` is not.
 */
export function secretsOf({
  command = '',
  args = [],
  env = {},
  url,
  headers = {},
  clientSecret = '',
}: SecretPlaces): string[] {
  const found = [
    clientSecret,
    ...Object.entries(env).flatMap(([name, value]) => [...named(name, value), ...secretsWithin(value)]),
    ...secretsWithin(command),
    ...secretsOfArgs(command, args),
    ...Object.entries(headers).flatMap(([name, value]) => [...named(name, value), ...secretsWithin(value)]),
    ...(url === undefined ? [] : secretsOfUrl(url)),
  ]
  return [...new Set(found.flatMap((secret) => [secret, decoded(secret)]))].filter(
    (secret) => secret !== '' && !isToBeFilled(secret),
  )
}

/** Returns the secret in a named value: the whole value, and the part after a scheme such as `Bearer`. */
const named = (name: string, value: string): string[] =>
  (isSecretName(name) && !plainly.test(value)) || looksMade(value) ? [value, ...value.split(/\s+/).slice(1)] : []

/** Values of ports as programs take them: `8080`, `8080:80`, `127.0.0.1:8080:80/tcp`, `8000-8010`. */
const isPort = (value: string) => /^(?:[\d.]+:)?\d{1,5}(?:[-:]\d{1,5})*(?:\/(?:tcp|udp))?$/.test(value)
/** Programs for which `-p` before their first word names a package, not a password. */
const launcher = /(?:^|[\\/])(?:npx|npm|pnpm|bunx|yarn|uvx|uv)(?:\.cmd|\.exe)?$/i
const mysql = /(?:^|[\\/])(?:mysql|mariadb)[\w-]*$/i

function secretsOfArgs(command: string, args: readonly string[]): string[] {
  const firstWord = args.findIndex((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-p')
  return args.flatMap((arg, index) => {
    const before = args[index - 1] ?? ''
    const isPackage = launcher.test(command) && (firstWord === -1 || index <= firstWord)
    return [
      ...(isFlag(before) && !arg.startsWith('-') && !(before === '-p' && isPackage) ? ofFlag(before, arg) : []),
      ...(arg.startsWith('-p=') ? ofFlag('-p', arg.slice(3)) : []),
      ...(mysql.test(command) && /^-p[^-]/.test(arg) ? [arg.slice(2)] : []),
      ...(looksMade(arg) ? [arg] : []),
      ...secretsWithin(arg),
    ]
  })
}

const isFlag = (arg: string) => /^--?[\w-]+$/.test(arg)
/** Returns the secret in an option's value. For `--user` it is the part after the name in `name:password`. */
function ofFlag(flag: string, value: string): string[] {
  if (flag === '-p') return isPort(value) || /^[./~]/.test(value) ? [] : [value]
  if (/^(?:-u|--user|--basic)$/.test(flag)) {
    const [, password] = /^[^\s:/]+:(\S+)$/.exec(value) ?? []
    return password === undefined || isPort(value) ? [] : [password]
  }
  return isSecretName(flag) && !plainly.test(value) ? [value] : []
}

/** Longest text that is searched, characters. The patterns below take more than linear time, so a longer text counts as a secret as a whole. */
const longestRead = 2_000

/** Returns the secrets within a text: in addresses with passwords, `NAME=value`, `Header: value`, options and JSON. */
function secretsWithin(text: string): string[] {
  if (text.length > longestRead) return [text]
  return [
    // The form scheme://user:password@host. The password may contain an @.
    ...[
      ...text.matchAll(
        /[a-z][a-z0-9+.-]*:\/\/([^\s:@/?#]*):([^\s"'`]+?)@(?=[^@\s]*(?:$|[\s"'`]|[,;|][a-z][a-z0-9+.-]*:\/\/))/gi,
      ),
    ].flatMap(([address, user = '', password = '']) =>
      /^https?:/i.test(address) && user !== '' ? [user, password] : [password],
    ),
    ...[...text.matchAll(/[a-z][a-z0-9+.-]*:\/\/([^\s:@/?#"'`]+)@/gi)].flatMap(([address, user = '']) =>
      /^https?:/i.test(address) || looksMade(user) ? [user] : [],
    ),
    // user:password@tcp(host), user:password@host:1234, user/password@host:1521/service
    ...[
      ...text.matchAll(/(?:^|[\s=;,"'])[^\s:@/=;,"']+:(?!\/\/)([^\s"']+)@(?:\w+\(|[\w.-]+:\d+|[\w.-]+\/(?=\w))/g),
      ...text.matchAll(/(?:^|[\s="'])[\w$#-]+\/([^\s/@"']+)@(?:\/\/)?[\w.-]+(?::\d+)?\/\w/g),
    ].map(([, password = '']) => password),
    ...pairs(text),
    // Authorization: Bearer …
    ...[...text.matchAll(/(?:^-H|^|[\s"'=])([A-Za-z][\w-]*)["']?\s*:\s*(?!\/\/)(["']?)(\S[^"'\r\n]*)\2/g)].flatMap(
      ([, name = '', , value = '']) =>
        isSecretName(name) && !plainly.test(value) ? [value, value.replace(scheme, '')] : [],
    ),
    ...[...text.matchAll(/\b(?:bearer|basic)\s+([\w.~+/=-]{6,})/gi)].map(([, token = '']) => token),
    ...[...text.matchAll(/(?:^|\s)(--?[\w-]+)\s+("[^"]*"|'[^']*'|[^\s-]\S*)/g)].flatMap(([, flag = '', value = '']) =>
      flag === '-p' ? [] : ofFlag(flag, unquoted(value)),
    ),
  ]
}

/** `name=value` of queries, connection strings, assignments and options. */
function pairs(text: string): string[] {
  const parts = text.split(';').filter((part) => part.trim() !== '')
  const isList = parts.length > 1 && parts.every((part) => /^[\w .-]+=/.test(part.trim()))
  const one = isList
    ? /(?<![^;])([^;=]*)=\s*("[^"]*"|'[^']*'|[^;]+)/g
    : /(?:^|[\s&?,#;"'(])([\w.-]+)=("[^"]*"|'[^']*'|[^&\s,;#"')]+)/g
  return [...text.matchAll(one)].flatMap(([, named = '', given = '']) => {
    const name = named.trim()
    const value = unquoted(given.trim())
    return (isSecretName(name) && !plainly.test(value)) || looksMade(value) ? [value] : []
  })
}

const unquoted = (value: string) => value.replace(/^(["'])(.*)\1$/s, '$2')

function secretsOfUrl(text: string): string[] {
  if (!URL.canParse(text)) return secretsWithin(text)
  const { pathname, searchParams } = new URL(text)
  return [
    ...secretsWithin(text),
    ...[...searchParams].flatMap(([name, value]) => (isSecretName(name) || looksMade(value) ? [value] : [])),
    ...pathname.split('/').filter(isMadeSegment),
  ]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
