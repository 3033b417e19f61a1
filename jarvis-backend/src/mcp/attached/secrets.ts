import type { AttachedServerConfig } from '../../protocol/index.ts'
import { secretsOf } from '../../redaction/attached-secrets.ts'

const redacted = '[redacted]'
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
