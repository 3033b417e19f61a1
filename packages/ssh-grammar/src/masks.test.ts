import { expect, test } from 'vitest'
import { maskOf } from './masks.ts'

const secret = 'Zq7vKx2WjYp9BhRg'

test('of a container all is told but its variables, arguments, options and labels that may hold secrets', () => {
  const container = {
    Id: 'abc',
    Path: '/entry.sh',
    Args: ['--listen', secret],
    State: { Status: 'running', Health: { Log: [{ Output: secret }] } },
    Config: {
      Env: ['PATH=/usr/bin', `WEB_X=${secret}\nmore ${secret}`, secret],
      Cmd: [`run -p ${secret}`],
      Entrypoint: null,
      Healthcheck: { Test: ['CMD-SHELL', `curl -u a:${secret} localhost`] },
      Labels: { 'com.docker.compose.project': 'web', 'traefik.x.users': secret },
    },
    HostConfig: {
      LogConfig: { Type: 'splunk', Config: { 'splunk-x': secret } },
      Mounts: [{ VolumeOptions: { DriverConfig: { Options: { o: secret } } } }],
    },
  }
  const mask = maskOf('docker', ['inspect', 'web'])
  const shown = mask?.(JSON.stringify([container], null, 4)) ?? ''
  expect(shown).not.toContain(secret)
  const [told] = JSON.parse(shown)
  expect(told).toMatchObject({ Id: 'abc', Path: '/entry.sh', State: { Status: 'running' } })
  expect(told.Config.Env).toEqual(['PATH=[not shown]', 'WEB_X=[not shown]', '[not shown]'])
  expect(told.Config.Labels).toEqual({ 'com.docker.compose.project': 'web', 'traefik.x.users': '[not shown]' })
  expect(told.HostConfig.LogConfig.Type).toBe('splunk')
  expect(mask?.(`[{"Env": ["A=${secret}"`)).not.toContain(secret)
  expect(mask?.('')).toBe('')
  expect(maskOf('docker', ['inspect', '-f', '{{.Id}}', 'web'])).toBeUndefined()
})

test('of a pod’s variables the names are told, and where one comes from', () => {
  const described = `Name:         web-1
Containers:
  app:
    Command:
      /entry.sh
      ${secret}
    Args:
      --x=${secret}
    Liveness:       exec [check ${secret}] delay=0s
    Environment:
      WEB_X:     ${secret}
                 ${secret} of a second line
      DB_PASS:   <set to the key 'pass' in secret 'db'>  Optional: false
      ODD:       <set to> ${secret}
    Mounts:
      /data from data (rw)
Events:  <none>
`
  const shown = maskOf('k3s', ['kubectl', '-n', 'media', 'describe', 'pod', 'web-1'])?.(described) ?? ''
  expect(shown).not.toContain(secret)
  for (const line of [
    'Name:         web-1',
    "DB_PASS:   <set to the key 'pass' in secret 'db'>  Optional: false",
    '/data from data (rw)',
    'WEB_X:',
  ])
    expect(shown).toContain(line)
})
