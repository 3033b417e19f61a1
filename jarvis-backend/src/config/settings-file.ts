import { join } from 'node:path'
import { ConfigError } from './config.ts'
import { type Changes, readEnvFile, writeEnvFile } from './env-file.ts'
import { pathOf } from './path-of.ts'

type Environment = Record<string, string | undefined>

/** What the dashboard saved: it counts where neither the environment nor `.env` says anything. */
export const settingsPath = (dataDir: string): string => join(dataDir, 'settings.env')

const isSet = (value: string | undefined) => value !== undefined && value.trim() !== ''
const isOfCluster = (key: string) => key.startsWith('PVE_')

/**
 * The environment with what is saved in the data dir behind it. The `PVE_*` belong together: one of them in the environment
 * and the saved ones do not count, so that no token goes to another server than it was saved for.
 * @throws ConfigError where the file cannot be read.
 */
export function withSavedSettings(env: Environment): Environment {
  const path = settingsPath(pathOf(isSet(env.JARVIS_DATA_DIR) ? String(env.JARVIS_DATA_DIR) : '~/.jarvis'))
  let saved: Record<string, string>
  try {
    saved = readEnvFile(path)
  } catch (error) {
    throw new ConfigError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'not understood'}).`)
  }
  const ownsCluster = Object.keys(env).some((key) => isOfCluster(key) && isSet(env[key]))
  const used = Object.entries(saved).filter(([key]) => !isSet(env[key]) && !(ownsCluster && isOfCluster(key)))
  return { ...env, ...Object.fromEntries(used) }
}

/** Whether a cluster is named before what the dashboard saves. */
export const namesCluster = (env: Environment): boolean => isSet(env.PVE_URL)

export const saveSettings = (dataDir: string, changes: Changes): void => writeEnvFile(settingsPath(dataDir), changes)
