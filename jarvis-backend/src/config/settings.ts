import { drillSettings } from './drill.ts'
import { memorySettings } from './memory.ts'
import { chatSettings, modelSettings } from './model-settings.ts'
import { oidcSettings } from './oidc.ts'
import { pbsSettings } from './pbs.ts'
import { proxmoxSettings } from './proxmox.ts'
import { proxyVariables } from './proxy.ts'
import { safetySettings } from './safety.ts'
import { searchSettings } from './search.ts'
import { serverSettings, systemSettings } from './server.ts'
import { Settings } from './setting.ts'
import { speechSettings } from './speech.ts'
import { sshSettings } from './ssh.ts'

/** The settings of JARVIS, in the order of `docs/configure.md` and `.env.example`. */
export const settingGroups = [
  serverSettings,
  oidcSettings,
  proxyVariables,
  modelSettings,
  chatSettings,
  memorySettings,
  speechSettings,
  searchSettings,
  proxmoxSettings,
  pbsSettings,
  drillSettings,
  sshSettings,
  safetySettings,
  systemSettings,
]

export const settings = new Settings(settingGroups)
