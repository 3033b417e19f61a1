import { expect, test } from 'vitest'
import { example } from '../example.ts'

test('the example asks for the state of the cluster', async () => {
  expect(await example()).toEqual(['get_cluster_status'])
})
