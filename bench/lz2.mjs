import { JsonlLog } from "bough/jsonl";
const f=process.argv[2];
for (let i=0;i<40;i++){
const c0=process.cpuUsage();
const t0=performance.now();
const log=JsonlLog.open(f,{durability:"process"});
log.changes("end"); let n=0;
for (let s=log.older();s;s=log.older()) n+=s.heads.length;
const cu=process.cpuUsage(c0);
console.log(n,"wall",(performance.now()-t0).toFixed(1),"user",(cu.user/1000).toFixed(1),"sys",(cu.system/1000).toFixed(1));
log.close();
}
