import type { DoctorReply, Status } from 'protocol'
import { expect, test } from 'vitest'
import type { Database } from '../src/store/sqlite/database.ts'
import { startJarvis } from './support/start-jarvis.ts'

/** Leaves a restore drill open that cannot be read, so that the room that resumes it fails. */
function withBrokenDrill(database: Database): Database {
  database.sql.exec(
    "INSERT INTO drills (id, vmid, at, verdict, is_open, facts) VALUES ('drill_1', 103, 1, 'open', 1, 'broken')",
  )
  return database
}

test('a room that does not start is told by the status and the doctor, and the others start', async () => {
  const jarvis = await startJarvis({ database: withBrokenDrill })
  await expect
    .poll(async () => {
      const { parts } = (await (await jarvis.rest('/api/status')).json()) as Status
      return parts.find(({ name }) => name === 'Start')
    })
    .toMatchObject({ health: 'bad', text: expect.stringMatching(/^drills? did not start: /) as string })
  const { checks } = (await (await jarvis.rest('/api/doctor?model=0')).json()) as DoctorReply
  expect(checks.filter(({ area }) => area === 'Start')).toMatchObject([
    { health: 'bad', text: expect.stringContaining('did not start: ') as string, fix: expect.any(String) as string },
  ])
  expect((await jarvis.rest('/api/sessions')).status).toBe(200)
})
