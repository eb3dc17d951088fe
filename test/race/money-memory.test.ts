import { moneyRaces } from './suite/races.ts';

moneyRaces('memory');
