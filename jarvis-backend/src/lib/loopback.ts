import { isIP } from 'node:net'

/** True if the host of a URL is this machine. @param host in the form of `URL.hostname` */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))
