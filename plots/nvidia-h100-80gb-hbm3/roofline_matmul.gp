# A roofline with its data. Draw it again: gnuplot roofline_matmul.gp
if (!exists("svg")) svg = "roofline_matmul.svg"
if (!exists("png")) png = "roofline_matmul.png"
set encoding utf8
$points << EOD
43.0686 2.8387e+12
172.275 3.41434e+13
689.098 5.06792e+13
1404.29 5.0739e+13
87.7679 6.12477e+12
351.072 2.38559e+14
1430.87 7.51103e+14
2808.57 7.31359e+14
89.4295 6.07171e+12
357.718 2.35041e+14
1457.96 7.69717e+14
2861.74 7.4459e+14
1792 7.16118e+14
1792 7.52548e+14
15.92 3.51264e+13
430.998 1.26958e+14
43.884 2.26128e+12
175.536 3.63224e+13
702.143 5.09592e+13
1485.56 5.12461e+13
91.1225 6.05794e+12
364.49 2.38941e+14
1513.68 7.52409e+14
2915.92 7.5551e+14
92.8475 6.07603e+12
371.39 2.35833e+14
1542.34 7.69755e+14
2971.12 7.70054e+14
1825.92 7.1155e+14
1825.92 7.51913e+14
16.2214 3.54305e+13
439.157 1.26993e+14
44.7147 2.32167e+12
178.859 1.30646e+14
715.436 3.94271e+14
1571.54 3.89746e+14
447.471 4.05246e+14
45.5612 2.71883e+12
182.245 3.40479e+13
728.98 4.98268e+13
1601.29 5.10617e+13
94.6052 5.2747e+12
378.421 1.78598e+14
1631.6 6.91826e+14
3027.37 6.31559e+14
96.3962 5.22393e+12
385.585 1.7256e+14
1662.49 7.01635e+14
3084.68 7.11578e+14
46.4238 4.98879e+12
185.695 6.61967e+13
742.78 9.14443e+13
1693.96 8.64894e+13
39.2136 6.92025e+11
156.855 4.21491e+12
627.418 3.16045e+12
1100.46 3.15243e+12
75.5401 7.26783e+11
302.16 3.91009e+12
1121.29 3.0061e+12
2417.28 3.18554e+12
76.9702 7.28175e+11
307.881 3.87e+12
1142.52 2.95898e+12
2463.05 3.17654e+12
39.956 2.05558e+12
159.824 8.1449e+12
639.296 8.2204e+12
1164.15 8.41162e+12
78.4273 2.00713e+12
313.709 8.25869e+12
1186.19 8.49771e+12
2509.67 8.52766e+12
79.912 1.7287e+12
319.648 6.30198e+12
1208.64 6.48338e+12
2557.18 6.55596e+12
40.7124 8.11077e+11
162.85 8.21116e+12
651.398 1.10756e+13
1231.52 1.09839e+13
81.4248 8.2671e+11
325.699 1.3593e+13
1254.84 1.9173e+13
2605.59 1.85491e+13
82.9663 8.0414e+11
331.865 1.30158e+13
1278.59 1.68589e+13
2654.92 1.63055e+13
41.4831 5.08183e+12
165.933 5.63239e+13
663.73 1.15148e+14
1302.8 1.21485e+14
42.2685 5.79285e+12
169.074 1.57941e+14
676.295 3.8248e+14
1327.46 3.76978e+14
84.5369 7.27228e+12
338.148 2.52137e+14
1352.59 7.48236e+14
2705.18 7.54818e+14
86.1373 7.23316e+12
344.549 2.49125e+14
1378.2 7.6279e+14
2756.39 7.65804e+14
1758.71 6.99527e+14
1758.71 7.5162e+14
15.6243 3.43859e+13
422.99 3.49549e+14
EOD
$lines << EOD
2 1.60088e+13
121.075 9.69134e+14


2 6.02792e+12
321.548 9.69134e+14


2 6.23341e+12
310.948 9.69134e+14


121.075 9.69134e+14
10000 9.69134e+14


115.114 9.21419e+14
10000 9.21419e+14


60.241 4.82193e+14
10000 4.82193e+14


38.3714 3.0714e+14
10000 3.0714e+14


38.4851 1.32979e+14
47.3026 1.32979e+14


74.1366 2.65959e+14
98.221 2.65959e+14


15.334 4.96181e+13
16.5285 4.96181e+13


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [2:10000]
set yrange [2e+11:2e+15]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of matmul: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 2.16542, 2.08479e+13 left rotate by 33.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 2.45488, 5.92843e+12 left rotate by 33.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 2.16542, 8.11762e+12 left rotate by 33.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor bf16 969 TFLOP/s, tensor f16 921 TFLOP/s' at 9211.86, 1.12993e+15 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor tf32 482 TFLOP/s' at 9211.86, 5.62196e+14 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor f16 / 3 307 TFLOP/s' at 9211.86, 3.58099e+14 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 6-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 7-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 8-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 9-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 10-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::8-1::8-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::9-1::9-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::10-1::10-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::11-1::11-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::12-1::12-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::13-1::13-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::14-1::14-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.44 linewidth 1.8 notitle, \
  $points every ::15-1::15-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.57 linewidth 1.8 notitle, \
  $points every ::16-1::16-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::17-1::17-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::18-1::18-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::19-1::19-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::20-1::20-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::21-1::21-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::22-1::22-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::23-1::23-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::24-1::24-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::25-1::25-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::26-1::26-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::27-1::27-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::28-1::28-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::29-1::29-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::30-1::30-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.44 linewidth 1.8 notitle, \
  $points every ::31-1::31-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.57 linewidth 1.8 notitle, \
  $points every ::32-1::32-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::33-1::33-1 with points pointtype 12 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::34-1::34-1 with points pointtype 12 linecolor rgb "#0A58CA" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::35-1::35-1 with points pointtype 12 linecolor rgb "#0A58CA" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::36-1::36-1 with points pointtype 12 linecolor rgb "#0A58CA" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::37-1::37-1 with points pointtype 4 linecolor rgb "#B02A37" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::38-1::38-1 with points pointtype 6 linecolor rgb "#146C43" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::39-1::39-1 with points pointtype 6 linecolor rgb "#146C43" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::40-1::40-1 with points pointtype 6 linecolor rgb "#146C43" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::41-1::41-1 with points pointtype 6 linecolor rgb "#146C43" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::42-1::42-1 with points pointtype 8 linecolor rgb "#CEC3AA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::43-1::43-1 with points pointtype 8 linecolor rgb "#CEC3AA" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::44-1::44-1 with points pointtype 8 linecolor rgb "#CEC3AA" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::45-1::45-1 with points pointtype 8 linecolor rgb "#CEC3AA" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::46-1::46-1 with points pointtype 4 linecolor rgb "#CEC3AA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::47-1::47-1 with points pointtype 4 linecolor rgb "#CEC3AA" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::48-1::48-1 with points pointtype 4 linecolor rgb "#CEC3AA" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::49-1::49-1 with points pointtype 4 linecolor rgb "#CEC3AA" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::50-1::50-1 with points pointtype 12 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::51-1::51-1 with points pointtype 12 linecolor rgb "#000000" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::52-1::52-1 with points pointtype 12 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::53-1::53-1 with points pointtype 12 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::54-1::54-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::55-1::55-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::56-1::56-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::57-1::57-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::58-1::58-1 with points pointtype 9 linecolor rgb "#F7DFAA" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::59-1::59-1 with points pointtype 9 linecolor rgb "#F7DFAA" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::60-1::60-1 with points pointtype 9 linecolor rgb "#F7DFAA" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::61-1::61-1 with points pointtype 9 linecolor rgb "#F7DFAA" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::62-1::62-1 with points pointtype 5 linecolor rgb "#F7DFAA" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::63-1::63-1 with points pointtype 5 linecolor rgb "#F7DFAA" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::64-1::64-1 with points pointtype 5 linecolor rgb "#F7DFAA" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::65-1::65-1 with points pointtype 5 linecolor rgb "#F7DFAA" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::66-1::66-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::67-1::67-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::68-1::68-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::69-1::69-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::70-1::70-1 with points pointtype 9 linecolor rgb "#C7E6F8" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::71-1::71-1 with points pointtype 9 linecolor rgb "#C7E6F8" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::72-1::72-1 with points pointtype 9 linecolor rgb "#C7E6F8" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::73-1::73-1 with points pointtype 9 linecolor rgb "#C7E6F8" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::74-1::74-1 with points pointtype 5 linecolor rgb "#C7E6F8" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::75-1::75-1 with points pointtype 5 linecolor rgb "#C7E6F8" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::76-1::76-1 with points pointtype 5 linecolor rgb "#C7E6F8" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::77-1::77-1 with points pointtype 5 linecolor rgb "#C7E6F8" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::78-1::78-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::79-1::79-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::80-1::80-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::81-1::81-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::82-1::82-1 with points pointtype 9 linecolor rgb "#AADFD1" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::83-1::83-1 with points pointtype 9 linecolor rgb "#AADFD1" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::84-1::84-1 with points pointtype 9 linecolor rgb "#AADFD1" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::85-1::85-1 with points pointtype 9 linecolor rgb "#AADFD1" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::86-1::86-1 with points pointtype 5 linecolor rgb "#AADFD1" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::87-1::87-1 with points pointtype 5 linecolor rgb "#AADFD1" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::88-1::88-1 with points pointtype 5 linecolor rgb "#AADFD1" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::89-1::89-1 with points pointtype 5 linecolor rgb "#AADFD1" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::90-1::90-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::91-1::91-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::92-1::92-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::93-1::93-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::94-1::94-1 with points pointtype 13 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::95-1::95-1 with points pointtype 13 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::96-1::96-1 with points pointtype 13 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::97-1::97-1 with points pointtype 13 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::98-1::98-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::99-1::99-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::100-1::100-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::101-1::101-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::102-1::102-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::103-1::103-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::104-1::104-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::105-1::105-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::106-1::106-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.31 linewidth 1.0 notitle, \
  $points every ::107-1::107-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.44 linewidth 1.0 notitle, \
  $points every ::108-1::108-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.57 linewidth 1.0 notitle, \
  $points every ::109-1::109-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.70 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'cublas', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'cublaslt', \
  NaN with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.6 title 'cublaslt_tf32', \
  NaN with points pointtype 6 linecolor rgb "#B02A37" pointsize 1.40 linewidth 1.6 title 'torch_compile', \
  NaN with points pointtype 6 linecolor rgb "#146C43" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with points pointtype 6 linecolor rgb "#6C4A00" pointsize 1.40 linewidth 1.6 title 'triton', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'triton_tf32', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 13 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32 as tf32', \
  NaN with points pointtype 9 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f16', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.93 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.06 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.19 linewidth 1.6 title 'xlarge', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.31 linewidth 1.6 title 'llama3_8b_up', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.44 linewidth 1.6 title 'llama3_8b_down', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.57 linewidth 1.6 title 'llama3_8b_decode', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.70 linewidth 1.6 title 'gpt2_lm_head', \
  NaN with lines linecolor rgb "white" title 'Method', \
  NaN with points pointtype 7 linecolor rgb "#CACACA" pointsize 1.40 linewidth 1.6 title 'timed otherwise (pale)'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
