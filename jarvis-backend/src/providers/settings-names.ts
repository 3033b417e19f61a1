type SettingNames = { keyName: string; urlName: string; modelName: string }

const variables: Readonly<Record<string, SettingNames>> = {
  anthropic: { keyName: 'ANTHROPIC_API_KEY', urlName: 'ANTHROPIC_BASE_URL', modelName: 'CLAUDE_MODEL' },
  openai: { keyName: 'OPENAI_API_KEY', urlName: 'OPENAI_BASE_URL', modelName: 'OPENAI_MODEL' },
}

/**
 * Returns the names of the settings for a provider's key, address and models, for messages. These are environment variables for `anthropic` and
 * `openai`, and the settings page for all others.
 */
export function settingsOf(name: string): SettingNames {
  const place = `Settings, Models, ${name}`
  const own = Object.hasOwn(variables, name) ? variables[name] : undefined
  return own ?? { keyName: place, urlName: place, modelName: place }
}

/** Removes the names of settings that `settingsOf` gives from a message. For a reader who sees the form anyway. */
export const withoutSettings = (message: string): string =>
  message.replace(/ \((?:\w+_(?:BASE_URL|API_KEY|MODEL)|Settings, Models, [\w-]+)\)/, '')
