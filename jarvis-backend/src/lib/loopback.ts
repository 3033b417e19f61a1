import { isIP } from 'node:net'

/** Tests if the host of a URL is this machine. @param host as `URL.hostname` writes it */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))
