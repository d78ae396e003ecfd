import { SessionManager } from "bough/session-manager";
import { JsonlRepo } from "bough/jsonl";
const f=process.argv[2], mode=process.argv[3]??"ctx";
const c0=process.cpuUsage();const t0=performance.now();
if (mode==="tree") {
  const s=await new JsonlRepo({root:"/tmp/x",durability:"process"}).open(f);
  const t1=performance.now();
  const tree=await s.readTree(); let n=0; for (const {id,parentId} of tree.heads()) { n++; tree.labelOf(id);} 
  console.log("open",(t1-t0).toFixed(1),"tree",(performance.now()-t1).toFixed(1), n);
} else {
const s=SessionManager.open(f,"/tmp/x",undefined,{durability:"process"});
const t1=performance.now();
const c=s.buildSessionContext();
console.log("open",(t1-t0).toFixed(1),"ctx",(performance.now()-t1).toFixed(1),c.messages.length);
}
console.log("maxrss MB",(process.resourceUsage().maxRSS/1024).toFixed(1));
const cu=process.cpuUsage(c0);console.log("cpu ms",((cu.user+cu.system)/1000).toFixed(0));
