import { z } from 'zod'

/** A field of the setup. The configuration checks its form later. */
const Text = z.string().trim().min(1).max(2_000)
const Urls = z.array(Text).min(1).max(20)

export const SetupProbeBody = z.strictObject({ url: Text })
/** What an address shows without a token. `version`, `node`: from Proxmox's front page; absent where it is not Proxmox's. */
export type SetupProbeReply = {
  url: string
  /** SHA-256, `AA:BB:…`; a person compares it with `pvenode cert info`. */
  fingerprint: string
  /** The certificate is signed by an authority that this machine trusts, for this name, so no pin is needed. */
  isTrusted: boolean
  subject: string
  issuer: string
  /** Unix ms. */
  validTo: number
  version?: string
  node?: string
}

/** `fingerprints`: certificates that a person accepted; empty where all are trusted without pins. */
export const SetupClusterBody = z.strictObject({
  urls: Urls,
  tokenId: Text,
  tokenSecret: Text,
  fingerprints: z.array(Text).max(50).default([]),
})
export type SetupClusterBody = z.output<typeof SetupClusterBody>

/** `granted`: on the whole cluster, on a part, or not at all. `missing`: for example `VM.PowerMgmt on /vms`. */
export type SetupToolRights = { toolName: string; granted: 'all' | 'some' | 'none'; missing: string[] }
/** A set of rights beyond the base role. `gives` goes on from "it lets JARVIS". `command`: shell line for a node that adds it. */
export type SetupChoice = { name: string; gives: string; toolNames: string[]; command: string }
/** `tools`: absent where no address answered. `fix`: shell line for a node that adds the missing rights. */
export type SetupTestReply = {
  ok: boolean
  entries: { url: string; version?: string; problem?: string }[]
  nodes: { name: string; isOnline: boolean | null }[]
  tools?: SetupToolRights[]
  /** Wider sets of rights that the token does not have; nothing is wrong without them. */
  choices?: SetupChoice[]
  fix?: string
}
/** `savedTo`: the file that the next start reads. */
export type SetupSaveReply = { savedTo: string; needsRestart: true }
/**
 * `command`: shell line that makes role, user and token on a node. `source`: where the cluster's settings come from; those of
 * `environment` (`.env` included) cannot be changed here. The token's secret is never sent.
 */
export type SetupReply = {
  command: string
  /** Wider sets of rights than those of `command`, each with the line that adds it. */
  choices: SetupChoice[]
  source: 'demo' | 'environment' | 'settings'
  urls: string[]
  tokenId?: string
  fingerprints: string[]
}

/** `area`: group heading, such as `Configuration`, `Cluster`, `Token`. `fix`: what to do. */
export type DoctorCheck = { area: string; health: 'ok' | 'warn' | 'bad'; text: string; fix?: string }
/** `ok`: no check is bad. `at`: when the checks began, Unix ms. */
export type DoctorReply = { ok: boolean; at: number; tookMs: number; checks: DoctorCheck[] }
