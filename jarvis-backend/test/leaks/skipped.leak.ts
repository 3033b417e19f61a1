import { testWith } from '../../../scripts/test-with.js'

testWith('Chromium')('a page', () => {})
