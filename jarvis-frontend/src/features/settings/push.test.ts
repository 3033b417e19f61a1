import { expect, test } from 'vitest'
import { deviceName } from './push.ts'

test.each([
  [
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/141.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605 Version/19 Safari/604', 'Safari on iPhone'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64) AppleWebKit/537 Chrome/141 Safari/537 Edg/141', 'Edge on Windows'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0', 'Firefox on Linux'],
  ['curl/8', 'A browser on a device'],
])('%s is called by a name', (agent, name) => {
  expect(deviceName(agent)).toBe(name)
})
