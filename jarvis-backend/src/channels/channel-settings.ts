import type { ChannelKind, Settings } from './channel.ts'

/** Returns true if a setting with this name is encrypted on disk and never shown. */
export const isSecretSetting = (name: string): boolean => /(?:KEY|PASSWORD|SECRET|TOKEN|TOPIC|HOOK_URL)$/.test(name)

/** Returns the reason why a channel cannot be opened with these settings; undefined if it can. */
export function settingsProblem({ settings }: Pick<ChannelKind, 'settings'>, values: Settings): string | undefined {
  const stray = Object.keys(values).find((name) => settings.every((known) => known.name !== name))
  if (stray !== undefined) return `${stray} is no setting of it`
  for (const { name, isRequired, problem } of settings) {
    const value = values[name]
    if (value === undefined) {
      if (isRequired) return `${name} is missing`
      continue
    }
    const why = problem?.(value)
    if (why !== undefined) return `${name} ${why}`
  }
  return undefined
}
