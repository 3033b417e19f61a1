type SettingNames = { keyName: string; urlName: string; modelName: string }

const variables: Readonly<Record<string, SettingNames>> = {
  anthropic: { keyName: 'ANTHROPIC_API_KEY', urlName: 'ANTHROPIC_BASE_URL', modelName: 'CLAUDE_MODEL' },
  openai: { keyName: 'OPENAI_API_KEY', urlName: 'OPENAI_BASE_URL', modelName: 'OPENAI_MODEL' },
}

/** Where a provider's key, address and models are set, for messages: variables for the two that have them, else the settings' page. */
export function settingsOf(name: string): SettingNames {
  const place = `Settings, Models, ${name}`
  const own = Object.hasOwn(variables, name) ? variables[name] : undefined
  return own ?? { keyName: place, urlName: place, modelName: place }
}

/** A message without the places that `settingsOf` names, for a reader who has the form before them. */
export const withoutSettings = (message: string): string =>
  message.replace(/ \((?:\w+_(?:BASE_URL|API_KEY|MODEL)|Settings, Models, [\w-]+)\)/, '')
