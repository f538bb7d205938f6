/**
 * Lets Node 20 run this workspace's sources as they are: `node --import ./typescript.mjs file.ts`.
 * Packages of the workspace come from their sources, so that a test does not depend on what was built last.
 */
import { register } from 'node:module'

register('./typescript-hooks.mjs', import.meta.url)
