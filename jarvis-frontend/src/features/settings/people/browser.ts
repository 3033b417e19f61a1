const systems = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux|X11/, 'Linux'],
] as const
const browsers = [
  [/Edg\w{0,8}\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/HeadlessChrome\//, 'Headless Chrome'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const

/** Returns browser and system of a user agent: `Firefox on Linux`. An unknown user agent is cut at 60 characters. */
export function browserOf(client: string): string {
  const browser = browsers.find(([sign]) => sign.test(client))?.[1]
  if (browser === undefined) return client === '' ? 'unknown program' : client.slice(0, 60)
  const system = systems.find(([sign]) => sign.test(client))?.[1]
  return system === undefined ? browser : `${browser} on ${system}`
}
