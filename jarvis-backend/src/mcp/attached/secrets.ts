import type { AttachedServerConfig } from 'protocol'
import { secretsOf } from 'redaction/attached-secrets'

const redacted = '[redacted]'

/** The secrets of a configuration. */
export const secretsOfConfig = (config: AttachedServerConfig): string[] =>
  secretsOf(config.type === 'stdio' ? config : { ...config, clientSecret: config.oauth?.clientSecret })

/** Returns the configuration for display: values of `env` and `headers`, and secrets in other places, are redacted. */
export function shownConfig(config: AttachedServerConfig): AttachedServerConfig {
  // Secrets as they are and URL-encoded. The longest come first, because one secret may contain another.
  const secrets = secretsOfConfig(config)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .toSorted((a, b) => b.length - a.length)
  const hide = (text: string) => secrets.reduce((shown, secret) => shown.split(secret).join(redacted), text)
  const hideAll = (texts: Record<string, string>) =>
    Object.fromEntries(Object.keys(texts).map((name) => [name, redacted]))
  if (config.type === 'stdio')
    return { ...config, command: hide(config.command), args: config.args.map(hide), env: hideAll(config.env) }
  const { oauth } = config
  return {
    ...config,
    url: hide(config.url),
    headers: hideAll(config.headers),
    ...(oauth?.clientSecret !== undefined && { oauth: { ...oauth, clientSecret: redacted } }),
  }
}

/** Replaces values that are still redacted by their values in `before`. */
export function unshown(next: AttachedServerConfig, before: AttachedServerConfig): AttachedServerConfig {
  const shown = shownConfig(before)
  const keep = (now: Record<string, string>, was: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(now).map(([name, value]) => [name, value === redacted ? (was[name] ?? value) : value]),
    )
  if (next.type === 'stdio' && before.type === 'stdio' && shown.type === 'stdio') {
    const command = next.command === shown.command ? before.command : next.command
    const args = next.args.map((arg, index) => (arg === shown.args[index] ? (before.args[index] ?? arg) : arg))
    return { ...next, command, args, env: keep(next.env, before.env) }
  }
  if (next.type !== 'stdio' && before.type !== 'stdio' && shown.type !== 'stdio') {
    const isSameHost = next.url === shown.url || originOf(next.url) === originOf(before.url)
    const isSecretKept = isSameHost && next.oauth?.clientSecret === redacted
    return {
      ...next,
      ...(isSecretKept && { oauth: { ...next.oauth, clientSecret: before.oauth?.clientSecret } }),
      url: next.url === shown.url ? before.url : next.url,
      // Headers of the previous host are not kept for a new host.
      headers: isSameHost ? keep(next.headers, before.headers) : next.headers,
    }
  }
  return next
}

/** Returns the origin of a URL; for text whose variables are not replaced yet, the whole text. */
const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : url)
