import { JarvisError } from 'protocol'
import { channelPrefix } from './channel-variables.ts'
import type { Config } from './config.ts'
import { ConfigError } from './config-error.ts'
import { readEnvFile, settingsPath } from './env-file.ts'
import { openerOf, openLeaves } from './sealing.ts'
import { settingLeaves } from './secret-leaves.ts'
import { saveSettings } from './settings-file.ts'

const prefixOf = (channel: string) => `${channelPrefix}${channel.toUpperCase()}_`

type Of = Pick<Config, 'dataDir' | 'secretKeys' | 'channelEnvironment'>
/** Settings of one channel, by their names without the prefix. */
export type SetOfChannel = { from: 'environment' | 'settings'; values: Record<string, string> }

const ofChannel = (variables: Record<string, string>, channel: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      name.startsWith(prefixOf(channel)) && value !== '' ? [[name.slice(prefixOf(channel).length), value]] : [],
    ),
  )

/**
 * The settings of a channel: those of the environment, otherwise those saved in the data dir. Undefined if there are none. @throws ConfigError if
 * the file cannot be read or a secret cannot be opened
 */
export function channelSettings(of: Of, channel: string): SetOfChannel | undefined {
  const given = ofChannel(of.channelEnvironment, channel)
  // The environment's settings are used alone, because a saved secret must not go to another server.
  if (Object.keys(given).length > 0) return { from: 'environment', values: given }
  const saved = savedOf(of)
  const own = Object.fromEntries(Object.entries(saved).filter(([name]) => name.startsWith(prefixOf(channel))))
  openLeaves(settingLeaves(own), openerOf(of))
  const values = ofChannel(own, channel)
  return Object.keys(values).length === 0 ? undefined : { from: 'settings', values }
}

function savedOf({ dataDir }: Of): Record<string, string> {
  const path = settingsPath(dataDir)
  try {
    return readEnvFile(path)
  } catch (error) {
    throw new ConfigError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'not understood'}).`)
  }
}

/** Saves settings of a channel; null removes one. @throws JarvisError `conflict` if the environment sets them */
export function saveChannel(of: Of, channel: string, settings: Readonly<Record<string, string | null>>): void {
  if (Object.keys(ofChannel(of.channelEnvironment, channel)).length > 0)
    throw new JarvisError('conflict', `The environment sets ${prefixOf(channel)}…, so change it there.`)
  saveSettings(
    of,
    Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [`${prefixOf(channel)}${name}`, value ?? undefined]),
    ),
  )
}
