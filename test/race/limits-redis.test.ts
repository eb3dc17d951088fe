import { limitProofs } from './suite/limit-proofs.ts';

limitProofs('redis');
