import type { AttachedServerConfig } from '../protocol/index.ts'

const secretName =
  /(?:key|token|secret|passw|passphrase|(?:^|[_-])pass(?:$|[_-])|pwd|auth|credential|cookie|session|bearer|signature)/i
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
