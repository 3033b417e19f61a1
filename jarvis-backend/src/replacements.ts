import type { Homelab } from 'homelab-ports/ports'
import type { Model } from './agent/model.ts'
import type { ExecutionStore } from './calls/ports.ts'
import type { ChannelKind } from './channels/channel.ts'
import type { PushSender } from './channels/web-push/ports.ts'
import type { OpenDemo } from './homelab/demo.ts'
import type { Database } from './store/sqlite/database.ts'
import type { Tool } from './tools/tool.ts'
import type { Check } from './watch/check.ts'
import type { BrowserParts } from './workbench/areas/browser.ts'
import type { WebParts } from './workbench/areas/web.ts'

/** Parts that tests replace, and `demo`. */
export type SiteReplacements = {
  /** The demo's cluster, which a site without a configured cluster needs; see `demoFor`. */
  demo?: OpenDemo | undefined
  model?: Model
  /** Further models that users can choose by name. */
  models?: readonly Model[]
  homelab?: Homelab
  databasePath?: string
  /** Lets tests watch or break the database. */
  database?: (database: Database) => Database
  executions?: (store: ExecutionStore) => ExecutionStore
  /** Receives push messages instead of the browsers' push services. */
  push?: PushSender
  /** Channels in place of the shipped ones. */
  channels?: readonly ChannelKind[]
  /** Checks in place of the shipped ones. */
  checks?: readonly Check[]
  /** The built program of the memory's thread. */
  memoryWorker?: URL
  /** The memory's thread starts with the first request to it, and not some seconds after the start. */
  memoryOnUse?: true
  /** Replaces the network and Chromium for the browser's pages. */
  browser?: BrowserParts
  /** Replaces the access to the web. */
  web?: Partial<WebParts>
  /** Tools in addition to the real ones. */
  tools?: readonly Tool[]
}
