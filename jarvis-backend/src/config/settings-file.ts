import { join } from 'node:path'
import { type Config, ConfigError, readConfig } from './config.ts'
import { type Changes, readEnvFile, writeEnvFile } from './env-file.ts'
import { pathOf } from './path-of.ts'

type Environment = Record<string, string | undefined>

/** What the dashboard saved: it counts where neither the environment nor `.env` says anything. */
export const settingsPath = (dataDir: string): string => join(dataDir, 'settings.env')

const isSet = (value: string | undefined) => value !== undefined && value.trim() !== ''
const isOfCluster = (key: string) => key.startsWith('PVE_')

/**
 * What is saved in the data dir and not said by the environment. The `PVE_*` belong together: one of them in the environment
 * and no saved one counts, so that no token goes to another server than it was saved for.
 * @throws ConfigError where the file cannot be read.
 */
export function savedSettings(env: Environment): Record<string, string> {
  const path = settingsPath(pathOf(isSet(env.JARVIS_DATA_DIR) ? String(env.JARVIS_DATA_DIR) : '~/.jarvis'))
  let saved: Record<string, string>
  try {
    saved = readEnvFile(path)
  } catch (error) {
    throw new ConfigError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'not understood'}).`)
  }
  const ownsCluster = Object.keys(env).some((key) => isOfCluster(key) && isSet(env[key]))
  return Object.fromEntries(
    Object.entries(saved).filter(([key]) => !isSet(env[key]) && !(ownsCluster && isOfCluster(key))),
  )
}

/** The configuration of a start: the environment, and behind it what the dashboard saved. @throws ConfigError */
export function readStartConfig(env: Environment): Config {
  const saved = savedSettings(env)
  try {
    return readConfig(env, saved)
  } catch (error) {
    const [name = ''] = error instanceof ConfigError ? error.message.split(' ', 1) : []
    if (!(name in saved)) throw error
    throw new ConfigError(`${(error as Error).message} It was saved by the dashboard, in settings.env of the data dir.`)
  }
}

export const saveSettings = (dataDir: string, changes: Changes): void => writeEnvFile(settingsPath(dataDir), changes)
