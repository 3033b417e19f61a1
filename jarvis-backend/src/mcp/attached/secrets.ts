import type { AttachedServerConfig } from '../../protocol/index.ts'

const redacted = '[redacted]'
const secretName = /(?:key|token|secret|passw|pwd|auth|credential|cookie|session|bearer|signature)/i
/** Looks generated: long, letters and digits mixed, neither a path nor words. */
const looksMade = (value: string) => /^[A-Za-z0-9+=_.-]{20,}$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value)

/** The secrets of a server's configuration. Words such as `production` in `env` are not secret. */
export function secretsOf(config: AttachedServerConfig): string[] {
  if (config.type === 'stdio') {
    const { args, env } = config
    return [
      ...Object.entries(env).flatMap(([name, value]) => (secretName.test(name) || looksMade(value) ? [value] : [])),
      ...args.flatMap((arg, index) => {
        const [, name = '', value = ''] = /^(--?[\w-]+)=(.*)$/s.exec(arg) ?? []
        if (name !== '') return secretName.test(name) || looksMade(value) ? [value] : []
        return looksMade(arg) || isSecretFlag(args[index - 1]) ? [arg] : []
      }),
    ]
  }
  const { username, password, searchParams } = new URL(config.url)
  return [
    ...Object.entries(config.headers).flatMap(([name, value]) =>
      secretName.test(name) || looksMade(value) ? [value, ...value.split(/\s+/).slice(1)] : [],
    ),
    ...[username, password].filter((part) => part !== '').map(decodeURIComponent),
    ...[...searchParams].flatMap(([name, value]) => (secretName.test(name) || looksMade(value) ? [value] : [])),
  ]
}

const isSecretFlag = (arg: string | undefined) => arg !== undefined && /^--?[\w-]+$/.test(arg) && secretName.test(arg)

/** The configuration without values of `env` and `headers` and without secrets elsewhere. */
export function shownConfig(config: AttachedServerConfig): AttachedServerConfig {
  const secrets = secretsOf(config).filter((secret) => secret !== '')
  const hide = (text: string) => secrets.reduce((shown, secret) => shown.split(secret).join(redacted), text)
  const hideAll = (texts: Record<string, string>) =>
    Object.fromEntries(Object.keys(texts).map((name) => [name, redacted]))
  if (config.type === 'stdio') return { ...config, args: config.args.map(hide), env: hideAll(config.env) }
  // As it is written in the URL, encoded or not.
  const url = secrets
    .map(encodeURIComponent)
    .reduce((shown, secret) => shown.split(secret).join(redacted), hide(config.url))
  return { ...config, url, headers: hideAll(config.headers) }
}

/** Restores the values that came back redacted. */
export function unshown(next: AttachedServerConfig, before: AttachedServerConfig): AttachedServerConfig {
  const shown = shownConfig(before)
  const keep = (now: Record<string, string>, was: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(now).map(([name, value]) => [name, value === redacted ? (was[name] ?? value) : value]),
    )
  if (next.type === 'stdio' && before.type === 'stdio' && shown.type === 'stdio') {
    const args = next.args.map((arg, index) => (arg === shown.args[index] ? (before.args[index] ?? arg) : arg))
    return { ...next, args, env: keep(next.env, before.env) }
  }
  if (next.type !== 'stdio' && before.type !== 'stdio' && shown.type !== 'stdio') {
    const isSameHost = next.url === shown.url || new URL(next.url).origin === new URL(before.url).origin
    return {
      ...next,
      url: next.url === shown.url ? before.url : next.url,
      // A new host does not get the previous host's headers.
      headers: isSameHost ? keep(next.headers, before.headers) : next.headers,
    }
  }
  return next
}
