import { isOwnAddress } from '../../lib/own-address.ts'

/** Returns true if a connection would lead to JARVIS itself. @param address an IP address of the host; absent: the host is not resolved yet */
export type IsOwnPlace = (host: string, port: number, address?: string) => boolean

/**
 * Makes a function that recognises JARVIS: by its port on any address of this machine, and by the host name of its public URL at any port.
 * @param at `publicUrl`: the URL at which people open the dashboard
 */
export function createIsOwnPlace(at: { port: number; publicUrl: string | undefined }): IsOwnPlace {
  const name = at.publicUrl === undefined ? undefined : new URL(at.publicUrl).hostname.replace(/^\[|\]$/g, '')
  return (host, port, address) => host === name || (port === at.port && address !== undefined && isOwnAddress(address))
}
