#!/usr/bin/env node
// There before anything is built: npm makes no command of a file that is not.
import '../dist/bin.js'
