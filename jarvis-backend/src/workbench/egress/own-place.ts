import { isOwnAddress } from '../../lib/own-address.ts'

/** Tells if a connection would lead to JARVIS itself. @param address an IP address of the host; absent: not resolved yet */
export type IsOwnPlace = (host: string, port: number, address?: string) => boolean

/**
 * JARVIS is found by its port on any address of this machine, and by the name that the operator gave it, whatever stands before it.
 * @param at `publicUrl`: the address under which people open the dashboard
 */
export function createIsOwnPlace(at: { port: number; publicUrl: string | undefined }): IsOwnPlace {
  const name = at.publicUrl === undefined ? undefined : new URL(at.publicUrl).hostname.replace(/^\[|\]$/g, '')
  return (host, port, address) => host === name || (port === at.port && address !== undefined && isOwnAddress(address))
}
