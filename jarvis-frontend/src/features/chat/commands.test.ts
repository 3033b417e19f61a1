import { expect, test } from 'vitest'
import { meaningOf } from './commands.ts'

test.each([
  ['/status', { send: '/get_cluster_status' }],
  ['/node pve', { send: '/get_node_status node=pve' }],
  ['/guest 123', { send: 'How is guest 123?' }],
  ['/backups', { send: '/get_backups' }],
  ['/backups 123', { send: '/get_backups vmid=123' }],
  ['/tasks pve', { send: '/get_recent_tasks node=pve' }],
  ['/ssh pve df -h', { send: '/execute_ssh node=pve command="df -h"' }],
  ['/ssh pve echo "a \\ b"', { send: '/execute_ssh node=pve command="echo \\"a \\\\ b\\""' }],
  ['/ssh  pve  grep "a  b" /x', { send: '/execute_ssh node=pve command="grep \\"a  b\\" /x"' }],
  ['/wake agent', { send: '/wake_node node=agent' }],
  ['/tasks limit=3', { send: '/get_recent_tasks limit=3' }],
  ['/new', { act: 'new' }],
  ['/stop', { act: 'stop' }],
  ['/ssh pve', { problem: '/ssh needs a command: /ssh node command.' }],
  ['/node', { problem: '/node needs a node: /node node.' }],
  ['/status now', { problem: '/status takes nothing more.' }],
  ['/get_vms status=running', { send: '/get_vms status=running' }],
  ['/statusx', { send: '/statusx' }],
  ['what of /status', { send: 'what of /status' }],
  ['/status\nand more', { send: '/status\nand more' }],
])('%s', (text, expected) => {
  expect(meaningOf(text)).toEqual(expected)
})
